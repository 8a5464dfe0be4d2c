/// The result of one measurement of one server.
protocol MeasuredResult: Codable, Sendable {
  associatedtype Target: Codable, Hashable, Sendable
  associatedtype CodingKeys: CodingKey

  var target: Target { get }
  /// Whether the server did all of its work.
  var isValid: Bool { get }
  /// The most important figures, for a line of progress.
  var summary: String { get }
  /// The reason why the result is invalid, if the table does not show it.
  var fault: String? { get }

  /// The table's columns after the number of the round and the target.
  static var columns: [Column<Self>] { get }
  /// The columns of the medians' table after the target.
  static var medianColumns: [Column<Medians<Self>>] { get }
  /// The figures whose medians are part of the JSON.
  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] { get }
  /// The panels of the chart.
  static var charted: [ChartedFigure<Self>] { get }
  /// The cost in which the first target is compared with the others, and its name in the report.
  static var cost: (name: String, value: (Medians<Self>) -> Double?)? { get }
}

extension MeasuredResult {
  var fault: String? { nil }
  static var charted: [ChartedFigure<Self>] { [] }
  static var cost: (name: String, value: (Medians<Self>) -> Double?)? { nil }
}

/// A figure whose medians are drawn as bars.
struct ChartedFigure<Result: MeasuredResult> {
  var title: String
  var unit: String
  var digits: Int
  var value: (Medians<Result>) -> Double?

  init(_ title: String, _ unit: String, _ digits: Int, _ value: @escaping (Medians<Result>) -> Double?) {
    self.title = title
    self.unit = unit
    self.digits = digits
    self.value = value
  }
}

/// The medians of one target's results. A figure is read like that of a single result.
@dynamicMemberLookup
struct Medians<Result: MeasuredResult>: Encodable, Sendable {
  let target: Result.Target
  fileprivate let runs: [Result]

  subscript(dynamicMember figure: KeyPath<Result, Double>) -> Double {
    runs.map { $0[keyPath: figure] }.quantile(0.5) ?? 0
  }

  /// Nil if no result has the figure.
  subscript(dynamicMember figure: KeyPath<Result, Double?>) -> Double? {
    runs.compactMap { $0[keyPath: figure] }.quantile(0.5)
  }

  private enum CodingKeys: String, CodingKey { case target }

  func encode(to encoder: any Encoder) throws {
    var head = encoder.container(keyedBy: CodingKeys.self)
    try head.encode(target, forKey: .target)
    var figures = encoder.container(keyedBy: Result.CodingKeys.self)
    for (name, value) in Result.medianFigures { try figures.encodeIfPresent(value(self), forKey: name) }
  }
}

/// Several measurements of one or more servers, in the order in which they were made.
struct Series<Result: MeasuredResult>: MeasurementReport {
  let runs: [Result]
  let medians: [Medians<Result>]
  /// The first target's cost relative to each of the others, from the medians.
  let cpuRatios: [Ratio]

  struct Ratio: Encodable, Sendable {
    var target: Result.Target
    var to: Result.Target
    var ratio: Double
  }

  init(_ runs: [Result]) {
    self.runs = runs
    var order: [Result.Target] = []
    for run in runs where !order.contains(run.target) { order.append(run.target) }
    medians = order.map { target in Medians(target: target, runs: runs.filter { $0.target == target }) }
    guard let first = medians.first, let cost = Result.cost?.value, let own = cost(first), own > 0 else {
      cpuRatios = []
      return
    }
    cpuRatios = medians.dropFirst().compactMap { other in
      guard let theirs = cost(other), theirs > 0 else { return nil }
      return Ratio(target: first.target, to: other.target, ratio: own / theirs)
    }
  }

  /// Measures each target once per round, one after the other.
  static func measure<Target>(
    _ targets: [Target], rounds: Int, _ progress: ProgressLine, _ measure: (Target) async throws -> Result
  ) async throws -> Series {
    var runs: [Result] = []
    for round in 1...rounds {
      for target in targets {
        let result = try await measure(target)
        runs.append(result)
        guard rounds * targets.count > 1 else { continue }
        progress.line("\(round)/\(rounds) \(result.target): \(result.summary)")
      }
    }
    return Series(runs)
  }

  var isValid: Bool { runs.allSatisfy(\.isValid) }

  private enum CodingKeys: String, CodingKey {
    case runs, medians
    case cpuRatios = "cpu_ratios"
  }

  /// Encodes a single measurement as itself.
  func encode(to encoder: any Encoder) throws {
    if runs.count == 1, let only = runs.first { return try only.encode(to: encoder) }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(runs, forKey: .runs)
    try container.encode(medians, forKey: .medians)
    if Result.cost != nil { try container.encode(cpuRatios, forKey: .cpuRatios) }
  }

  var panels: [BarChart.Panel] {
    Result.charted.map { figure in
      BarChart.Panel(
        title: figure.title, unit: figure.unit, digits: figure.digits,
        bars: medians.compactMap { median in
          figure.value(median).map { BarChart.Bar(name: "\(median.target)", value: $0) }
        })
    }
  }
}
