import ArgumentParser
import Foundation

/// The outcome of a measurement, as it is printed and drawn.
protocol MeasurementReport: Encodable, Sendable {
  /// Whether every server did all of the work that was measured.
  var isValid: Bool { get }
  /// A table in Markdown.
  var text: String { get }
  /// The panels of the chart.
  var panels: [BarChart.Panel] { get }
}

extension MeasurementReport {
  var panels: [BarChart.Panel] { [] }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

/// A command that measures servers and then prints a report: a table with its progress before it, or only JSON.
protocol MeasuringCommand: AsyncParsableCommand, Sendable {
  associatedtype Report: MeasurementReport

  /// Whether to print one JSON object and nothing else.
  var json: Bool { get }
  /// The SVG file to draw; nil draws none.
  var chart: String? { get }

  func measure(_ progress: ProgressLine) async throws -> Report
}

extension MeasuringCommand {
  var chart: String? { nil }

  /// Measures until the end or the first signal. An invalid report is printed too, but the command fails.
  func run() async throws {
    let stop = StopSignal()
    let progress = ProgressLine(isWanted: !json)
    let report: Report
    do {
      report = try await withThrowingTaskGroup(of: Report.self) { group in
        group.addTask { try await measure(progress) }
        group.addTask {
          await stop.wait()
          throw LoadtestError.stopped
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw LoadtestError.stopped }
        return first
      }
    } catch let error as LoadtestError {
      progress.line("")
      FileHandle.standardError.write(Data("loadtest: \(error)\n".utf8))
      throw ExitCode.failure
    }
    if let chart { try BarChart.svg(report.panels).write(toFile: chart, atomically: true, encoding: .utf8) }
    if json {
      FileHandle.standardOutput.write(Data((try report.json() + "\n").utf8))
    } else {
      progress.line(report.text)
    }
    guard report.isValid else { throw ExitCode.failure }
  }

  /// - Throws: a validation error that names the option, if the value is outside of its range.
  func check<Value: Comparable>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) throws {
    func text(_ bound: Value) -> String { (bound as? Double).map { String(format: "%g", $0) } ?? "\(bound)" }
    try check(name, value, range.contains(value), "\(text(range.lowerBound)) to \(text(range.upperBound))")
  }

  /// - Throws: a validation error that names the option and describes the `accepted` values, unless the value `isGood`.
  func check(_ name: String, _ value: some Any, _ isGood: Bool, _ accepted: String) throws {
    guard isGood else { throw ValidationError("--\(name) is \(accepted), not \(value)") }
  }

  /// - Throws: a validation error if there is no target, or one is given twice.
  func check(targets: [some Hashable]) throws {
    guard !targets.isEmpty, Set(targets).count == targets.count else {
      throw ValidationError("each --target may be given only once")
    }
  }
}

/// Runs `body` and then `end`, whether or not `body` throws.
func running<Result: Sendable>(_ body: () async throws -> Result, end: () async -> Void) async throws -> Result {
  let result: Result
  do { result = try await body() } catch {
    await end()
    throw error
  }
  await end()
  return result
}
