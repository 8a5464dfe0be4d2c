import Foundation

/// What a run gave: `report.json`.
struct RunReport: Codable, Sendable, Equatable {
  /// Grows with each change that readers have to know of.
  static let currentVersion = 1

  struct Machine: Codable, Sendable, Equatable {
    var cores: Int
    var processor: String
    /// "release" or "debug", of the bots.
    var build: String
  }

  var version = Self.currentVersion
  var scenario: String
  /// The scenario that it is a form of.
  var base: String?
  var play: String
  var about: String
  var parameters: [String: Double]
  /// Milliseconds since 1970.
  var startedAt: Int64
  /// How long it took.
  var seconds: Double
  /// The signalling address, or "started" for a server that the run began and ended.
  var server: String
  var machine: Machine
  var figures: [FigureReport]
  var limits: [LimitReport]
  var events: [Recorder.Event]
  /// The first of them, and how many there were.
  var failures: [String]
  var failureCount: Int
  /// Why it ended before its time.
  var aborted: String?

  /// Whether everything is as the scenario wants it.
  var isGood: Bool { limits.allSatisfy(\.holds) && aborted == nil }

  /// How it went, in some words.
  var verdict: String {
    if let aborted { return "broke off: \(aborted)" }
    return isGood ? "kept all limits" : "broke \(complaints.count) of its limits"
  }

  /// Whether a limit is broken: what a run that broke off never measured is not.
  func isBroken(_ limit: LimitReport) -> Bool { !limit.holds && (limit.value != nil || aborted == nil) }

  /// A sentence for each thing that is not as it should be.
  var complaints: [String] {
    (aborted.map { ["the run broke off: \($0)"] } ?? []) + limits.filter(isBroken).map(\.sentence)
  }
}

/// A figure's values.
struct FigureReport: Codable, Sendable, Equatable {
  /// The second and the mean, the least and the largest value of it.
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

  /// As limits name it.
  var key: String { kind.map { "\(figure).\($0)" } ?? figure }

  var words: Figure.Words {
    Figure(rawValue: figure)?.words ?? Figure.Words(title: figure, unit: "", about: "")
  }

  /// What a person calls it.
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

/// Whether a limit was kept.
struct LimitReport: Codable, Sendable, Equatable {
  var text: String
  /// Nil where nothing was measured.
  var value: Double?
  var holds: Bool

  /// What is to be said of it.
  var sentence: String {
    guard let value else { return "\(text): nothing was measured" }
    return "\(text): it was \(FigureText.number(value))"
  }
}

/// Numbers for people.
enum FigureText {
  /// Three or four digits that count.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    let digits = size >= 100 || value == value.rounded() ? 0 : size >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value)
  }

  static func number(_ value: Double, unit: String) -> String { unit.isEmpty ? number(value) : "\(number(value)) \(unit)" }
}

extension RunReport {
  /// Sums up what was recorded.
  init(_ scenario: Scenario, _ recorder: Recorder, server: String, startedAt: Date, aborted: String?) {
    let contents = recorder.contents
    // Counted once, at the end: a run without any has the figure too.
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

  /// Reads a report; throws a sentence where it is none, or one of a later program.
  init(json: Data, name: String) throws(ScenarioError) {
    struct Version: Decodable { var version: Int }
    guard let version = try? JSONDecoder().decode(Version.self, from: json).version else {
      throw ScenarioError("\(name) is no report of loadtest run")
    }
    guard version <= Self.currentVersion else { throw ScenarioError("\(name) was written by a later loadtest") }
    do { self = try JSONDecoder().decode(RunReport.self, from: json) } catch {
      throw ScenarioError("\(name) is no report of loadtest run: \(error)")
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
