import Foundation

/// A condition that a run has to meet: `audio_gap_ms max <= 60`, `fps.rtmp p50 >= 14`, `delay_ms p95 <= 900 if measured`.
struct Limit: Sendable, Equatable {
  enum Statistic: String, Sendable, CaseIterable { case count, min, mean, p5, p50, p95, p99, max }
  enum Comparison: String, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
  }

  /// A figure's name, followed by a dot and a kind if the limit applies to that kind only.
  let figure: String
  /// The figure without its kind.
  let base: Figure
  let statistic: Statistic
  let comparison: Comparison
  let bound: Double
  /// Whether the limit passes if nothing was measured.
  let isOptional: Bool

  init(parsing text: String) throws(ScenarioError) {
    var words = text.split(separator: " ").map(String.init)
    isOptional = words.suffix(2) == ["if", "measured"]
    if isOptional { words.removeLast(2) }
    guard words.count == 4 else {
      throw ScenarioError(
        "\"\(text)\" is not a limit: write a figure, a statistic, <= or >=, and a number, as in \"audio_gap_ms max <= 60\"")
    }
    let name = words[0].split(separator: ".").first.map(String.init) ?? words[0]
    guard let base = Figure(rawValue: name) else {
      throw ScenarioError(unknown: "figure", name, known: Figure.allCases.map(\.rawValue))
    }
    guard let statistic = Statistic(rawValue: words[1]) else {
      throw ScenarioError(unknown: "statistic", words[1], known: Statistic.allCases.map(\.rawValue))
    }
    guard let comparison = Comparison(rawValue: words[2]) else {
      throw ScenarioError("\"\(text)\": expected <= or >= instead of \"\(words[2])\"")
    }
    guard let bound = Double(words[3]), bound.isFinite else {
      throw ScenarioError("\"\(text)\": \"\(words[3])\" is not a number")
    }
    self.base = base
    figure = words[0]
    self.statistic = statistic
    self.comparison = comparison
    self.bound = bound
  }

  /// The limit as it is written, without `if measured`.
  var text: String { "\(subject) \(comparison.rawValue) \(Parameter.text(bound))" }

  /// The figure and the statistic. Another limit with the same subject replaces this one.
  var subject: String { "\(figure) \(statistic.rawValue)" }

  private func holds(_ value: Double) -> Bool { comparison == .atMost ? value <= bound : value >= bound }

  /// Compares the limit with the measurements. Returns nil if nothing was measured and the limit is optional. If there are
  /// several kinds, the worst one counts.
  func judge(_ figures: [FigureReport]) -> LimitReport? {
    let values = figures.filter { $0.key == figure || $0.figure == figure }.filter { $0.count > 0 }.map { $0[statistic] }
    guard let worst = comparison == .atMost ? values.max() : values.min() else {
      return isOptional ? nil : LimitReport(text: text, value: nil, holds: false)
    }
    return LimitReport(text: text, value: worst, holds: holds(worst))
  }
}
