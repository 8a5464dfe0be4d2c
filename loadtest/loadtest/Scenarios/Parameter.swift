import Foundation

/// A number that a scenario and the command line can set: `--pairs 4`.
struct Parameter: Sendable, Equatable {
  /// The name in scenarios and on the command line.
  let name: String
  let standard: Double
  let range: ClosedRange<Double>
  /// Whether only whole numbers are valid.
  let isWhole: Bool
  /// A description with the unit.
  let about: String

  init(_ name: String, _ standard: Int, _ range: ClosedRange<Int>, _ about: String) {
    self.name = name
    self.standard = Double(standard)
    self.range = Double(range.lowerBound)...Double(range.upperBound)
    isWhole = true
    self.about = about
  }

  init(_ name: String, _ standard: Double, _ range: ClosedRange<Double>, _ about: String) {
    self.name = name
    self.standard = standard
    self.range = range
    isWhole = false
    self.about = about
  }

  /// - Throws: ``ScenarioError`` with a sentence if the value is invalid.
  func check(_ value: Double) throws(ScenarioError) {
    guard value.isFinite, range.contains(value), !isWhole || value == value.rounded() else {
      let kind = isWhole ? "a whole number" : "a number"
      throw ScenarioError(
        "\(name) must be \(kind) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)), not \(Self.text(value))"
      )
    }
  }

  /// Formats a number, without a fraction if it is whole.
  static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(format: "%g", value)
  }
}

extension Parameter {
  /// Parameters that every play has.
  static let minutes = Parameter("minutes", 1.0, 0.01...1440, "minutes to run after everyone has joined")
  static let loss = Parameter("loss", 0.0, 0...50, "percent of UDP packets lost on the bots' network, in each direction")
  static let delay = Parameter("delay", 0.0, 0...2000, "delay of the bots' network in ms, in each direction")
  static let jitter = Parameter("jitter", 0.0, 0...1000, "maximum additional delay of a packet in ms")
  static let rate = Parameter("rate", 0, 0...1_000_000, "kbit/s that each media port carries in each direction; 0 is no limit")
  static let queue = Parameter("queue", 300, 1...10_000, "ms that packets wait for the rate before further ones are dropped")
  static let burst = Parameter("burst", 1.0, 1...100, "mean number of packets that are lost one after the other")
  static let seed = Parameter("seed", 1, 0...1_000_000, "seed of the losses")
  static let common = [minutes, loss, burst, delay, jitter, rate, queue, seed]
}

/// The values of a play's parameters.
struct ParameterValues: Sendable, Equatable {
  let parameters: [Parameter]
  private var values: [String: Double]

  /// Sets every parameter to the play's default.
  init(_ parameters: [Parameter]) {
    self.parameters = parameters
    values = Dictionary(parameters.map { ($0.name, $0.standard) }, uniquingKeysWith: { first, _ in first })
  }

  /// - Throws: ``ScenarioError`` if the parameter is unknown or the value is invalid.
  mutating func set(_ name: String, to value: Double) throws(ScenarioError) {
    guard let parameter = parameters.first(where: { $0.name == name }) else {
      throw ScenarioError(unknown: "parameter", name, known: parameters.map(\.name))
    }
    try parameter.check(value)
    values[name] = value
  }

  subscript(parameter: Parameter) -> Double { values[parameter.name] ?? parameter.standard }

  func count(_ parameter: Parameter) -> Int { Int(self[parameter]) }

  /// All values by name.
  var all: [String: Double] { values }

  /// How long the play runs.
  var duration: Duration { .seconds(self[.minutes] * 60) }
}
