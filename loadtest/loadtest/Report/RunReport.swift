import Foundation

/// The result of a run: `report.json`.
struct RunReport: Codable, Sendable, Equatable {
  /// Incremented with each change that readers have to know.
  static let currentVersion = 1

  struct Machine: Codable, Sendable, Equatable {
    var cores: Int
    var processor: String
    /// The bots' build: "release" or "debug".
    var build: String
  }

  var version = Self.currentVersion
  var scenario: String
  /// The scenario that it is a variant of.
  var base: String?
  var play: String
  var about: String
  var parameters: [String: Double]
  /// Milliseconds since 1970.
  var startedAt: Int64
  /// Duration in seconds.
  var seconds: Double
  /// The signalling address, or "started" for a server that the run started itself.
  var server: String
  var machine: Machine
  var figures: [FigureReport]
  var limits: [LimitReport]
  var events: [Recorder.Event]
  /// The first failures, and their total number.
  var failures: [String]
  var failureCount: Int
  /// The reason why the run ended early.
  var aborted: String?

  /// Whether all limits are met and the run was complete.
  var isGood: Bool { limits.allSatisfy(\.holds) && aborted == nil }

  /// A short text for the outcome.
  var verdict: String {
    if let aborted { return "was aborted: \(aborted)" }
    return isGood ? "met all limits" : "broke \(errors.count) limits"
  }

  /// Returns whether a limit is broken. A limit without a measurement is not broken if the run was aborted.
  func isBroken(_ limit: LimitReport) -> Bool { !limit.holds && (limit.value != nil || aborted == nil) }

  /// A sentence for each problem.
  var errors: [String] {
    (aborted.map { ["the run was aborted: \($0)"] } ?? []) + limits.filter(isBroken).map(\.sentence)
  }
}

/// A figure's values.
struct FigureReport: Codable, Sendable, Equatable {
  /// A second with the mean, minimum and maximum of its values.
  struct Point: Codable, Sendable, Equatable {
    var at: Int
    var mean: Double
    var min: Double
    var max: Double
  }

  var figure: String
  var kind: String?
  var count: Int
  var min: Double
  var mean: Double
  var p5: Double
  var p50: Double
  var p95: Double
  var p99: Double
  var max: Double
  var seconds: [Point]

  /// The name in limits.
  var key: String { kind.map { "\(figure).\($0)" } ?? figure }

  var words: Figure.Words {
    Figure(rawValue: figure)?.words ?? Figure.Words(title: figure, unit: "", about: "")
  }

  /// A readable title.
  var title: String { kind.map { "\(words.title), \($0)" } ?? words.title }

  init(_ series: Recorder.Series) {
    figure = series.figure.rawValue
    kind = series.kind
    count = series.count
    let values = series.values.sorted()
    func quantile(_ fraction: Double) -> Double { values.quantile(fraction) ?? 0 }
    min = count > 0 ? series.least : 0
    max = count > 0 ? series.most : 0
    mean = count > 0 ? series.sum / Double(count) : 0
    p5 = quantile(0.05)
    p50 = quantile(0.5)
    p95 = quantile(0.95)
    p99 = quantile(0.99)
    seconds = series.seconds.sorted { $0.key < $1.key }.map { second, bucket in
      Point(at: second, mean: bucket.sum / Double(bucket.count), min: bucket.min, max: bucket.max)
    }
  }

  subscript(statistic: Limit.Statistic) -> Double {
    switch statistic {
    case .count: Double(count)
    case .min: min
    case .mean: mean
    case .p5: p5
    case .p50: p50
    case .p95: p95
    case .p99: p99
    case .max: max
    }
  }
}

/// The result of checking a limit.
struct LimitReport: Codable, Sendable, Equatable {
  var text: String
  /// Nil if nothing was measured.
  var value: Double?
  var holds: Bool

  /// The result as a sentence.
  var sentence: String {
    guard let value else { return "\(text): not measured" }
    return "\(text): measured \(FigureText.number(value))"
  }
}

/// Formats numbers for readers.
enum FigureText {
  /// Returns three or four significant digits.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    let digits = size >= 100 || value == value.rounded() ? 0 : size >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value)
  }

  static func number(_ value: Double, unit: String) -> String { unit.isEmpty ? number(value) : "\(number(value)) \(unit)" }
}

extension RunReport {
  /// Summarises what was recorded.
  init(_ scenario: Scenario, _ recorder: Recorder, server: String, startedAt: Date, aborted: String?) {
    let contents = recorder.contents
    // Counted once at the end, so that a run without failures has the figure too.
    var failures = Recorder.Series(figure: .failures, kind: nil)
    failures.add(Double(contents.failureCount), second: Int(recorder.elapsed))
    let figures = (contents.series + [failures]).map(FigureReport.init).sorted { one, other in
      (Self.place(one), one.key) < (Self.place(other), other.key)
    }
    self.init(
      scenario: scenario.name, base: scenario.base, play: scenario.play.rawValue, about: scenario.about,
      parameters: scenario.values.all, startedAt: Int64(startedAt.timeIntervalSince1970 * 1000), seconds: recorder.elapsed,
      server: server, machine: .here, figures: figures, limits: scenario.limits.compactMap { $0.judge(figures) },
      events: contents.events, failures: contents.failures, failureCount: contents.failureCount, aborted: aborted)
  }

  private static func place(_ report: FigureReport) -> Int {
    Figure.allCases.firstIndex { $0.rawValue == report.figure } ?? .max
  }

  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  /// Parses a report.
  /// - Throws: ``ScenarioError`` with a sentence if the data is not a report, or one of a newer version.
  init(json: Data, name: String) throws(ScenarioError) {
    struct Version: Decodable { var version: Int }
    guard let version = try? JSONDecoder().decode(Version.self, from: json).version else {
      throw ScenarioError("\(name) is not a report of loadtest run")
    }
    guard version <= Self.currentVersion else { throw ScenarioError("\(name) was written by a newer loadtest") }
    do { self = try JSONDecoder().decode(RunReport.self, from: json) } catch {
      throw ScenarioError("\(name) is not a report of loadtest run: \(error)")
    }
  }
}

extension RunReport.Machine {
  static var here: Self {
    let line = ProcFile.text("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
    let processor = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    #if DEBUG
      let build = "debug"
    #else
      let build = "release"
    #endif
    return Self(cores: ProcessInfo.processInfo.activeProcessorCount, processor: processor ?? "unknown", build: build)
  }
}
