import RoomLossyLink

/// What is measured: a scenario on a server.
struct NetworkSubject: Sendable, Hashable, Codable, CustomStringConvertible {
  let scenario: String
  let server: NetworkServerKind

  var description: String { "\(scenario) \(server.rawValue)" }
}

/// The result of one run of a scenario.
struct NetworkResult: MeasuredResult {
  typealias CodingKeys = NetworkFigure

  let target: NetworkSubject
  /// Length of the measurement window in seconds.
  let seconds: Double
  let figures: [NetworkFigure: Double]
  /// A sentence for each broken limit.
  let broken: [String]
  /// Whether link and publisher were punctual, so that the figures count.
  let isTrustworthy: Bool

  /// Milliseconds, an interval of the recording's pictures.
  static let publisherLatenessLimit = 50.0

  init(_ target: NetworkSubject, seconds: Double, figures: [NetworkFigure: Double], limits: [NetworkLimit]) {
    self.target = target
    self.seconds = seconds
    self.figures = figures
    broken = limits.compactMap { $0.fault(figures) }
    isTrustworthy =
      (figures[.lateness] ?? .infinity) <= LinkReport.latenessLimit
      && (figures[.publisherLateness] ?? 0) <= Self.publisherLatenessLimit
  }

  /// The result of a run that broke off.
  init(_ target: NetworkSubject, failed reason: String) {
    self.target = target
    seconds = 0
    figures = [:]
    broken = ["failed: \(reason)"]
    isTrustworthy = true
  }

  subscript(figure: NetworkFigure) -> Double? { figures[figure] }

  /// Other servers are compared; only this one has to meet the limits.
  var isValid: Bool { isTrustworthy && !figures.isEmpty && (target.server != .roomserver || broken.isEmpty) }

  private enum Names: String, CodingKey { case scenario, server, seconds, broken, counts }

  init(from decoder: any Decoder) throws {
    let head = try decoder.container(keyedBy: Names.self)
    target = NetworkSubject(
      scenario: try head.decode(String.self, forKey: .scenario),
      server: try head.decode(NetworkServerKind.self, forKey: .server))
    seconds = try head.decode(Double.self, forKey: .seconds)
    broken = try head.decode([String].self, forKey: .broken)
    isTrustworthy = try head.decode(Bool.self, forKey: .counts)
    let values = try decoder.container(keyedBy: NetworkFigure.self)
    var figures: [NetworkFigure: Double] = [:]
    for figure in NetworkFigure.allCases { figures[figure] = try values.decodeIfPresent(Double.self, forKey: figure) }
    self.figures = figures
  }

  func encode(to encoder: any Encoder) throws {
    var head = encoder.container(keyedBy: Names.self)
    try head.encode(target.scenario, forKey: .scenario)
    try head.encode(target.server, forKey: .server)
    try head.encode(seconds, forKey: .seconds)
    try head.encode(broken, forKey: .broken)
    try head.encode(isTrustworthy, forKey: .counts)
    var values = encoder.container(keyedBy: NetworkFigure.self)
    for (figure, value) in figures { try values.encode(value, forKey: figure) }
  }
}
