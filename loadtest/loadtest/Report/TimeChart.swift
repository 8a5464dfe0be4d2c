import Foundation

/// Draws values over a run's time as SVG: a line for each kind of a figure, a shaded range from the minimum to the maximum of
/// each second, limits as dashed lines, and events as marks. The page defines the colours.
struct TimeChart {
  /// Number of line colours that a page defines: `--line0` and so on.
  static let colours = 6

  private static let width = 560.0
  private static let height = 190.0
  private static let left = 52.0
  private static let right = 12.0
  private static let top = 12.0
  private static let bottom = 26.0

  let figures: [FigureReport]
  let limits: [Limit]
  let events: [Recorder.Event]
  /// Duration of the whole run.
  let seconds: Double

  private var range: ClosedRange<Double> {
    let points = figures.flatMap(\.seconds)
    let bounds = limits.map(\.bound)
    let most = max(points.map(\.max).max() ?? 1, bounds.max() ?? -.infinity)
    let least = min(points.map(\.min).min() ?? 0, 0)
    // A limit far above all values would flatten the line.
    let highest = points.map(\.max).max() ?? 1
    let upper = highest > 0 && most > 4 * highest ? highest * 1.25 : most
    return least...max(upper, least + 1)
  }

  var svg: String {
    let scale = Ticks(range)
    func x(_ second: Double) -> Double { Self.left + second / max(seconds, 1) * (Self.width - Self.left - Self.right) }
    func y(_ value: Double) -> Double {
      let share = (value - scale.lower) / (scale.upper - scale.lower)
      return Self.height - Self.bottom - min(max(share, 0), 1) * (Self.height - Self.top - Self.bottom)
    }
    var body = ""
    for value in scale.values {
      body +=
        "<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.width - Self.right)\" y1=\"\(Self.text(y(value)))\" y2=\"\(Self.text(y(value)))\"/>"
      body +=
        "<text class=\"tick\" text-anchor=\"end\" x=\"\(Self.left - 6)\" y=\"\(Self.text(y(value) + 4))\">\(Parameter.text(value))</text>\n"
    }
    for second in Ticks(0...max(seconds, 1), wanted: 6).values where second <= seconds {
      body +=
        "<text class=\"tick\" text-anchor=\"middle\" x=\"\(Self.text(x(second)))\" y=\"\(Self.height - 8)\">\(RunTable.clock(second))</text>\n"
    }
    for event in events {
      body +=
        "<line class=\"event\(event.isPhase ? " phase" : "")\" x1=\"\(Self.text(x(event.at)))\" x2=\"\(Self.text(x(event.at)))\" y1=\"\(Self.top)\" y2=\"\(Self.height - Self.bottom)\"><title>\(HTMLText.escaped("\(RunTable.clock(event.at)) \(event.text)"))</title></line>\n"
    }
    for limit in limits where limit.bound <= scale.upper && limit.bound >= scale.lower {
      body +=
        "<line class=\"limit\" x1=\"\(Self.left)\" x2=\"\(Self.width - Self.right)\" y1=\"\(Self.text(y(limit.bound)))\" y2=\"\(Self.text(y(limit.bound)))\"><title>\(HTMLText.escaped(limit.text))</title></line>\n"
    }
    for (index, figure) in figures.enumerated() {
      let colour = index % Self.colours
      if figures.count <= 2 { body += Self.band(figure, colour, x, y) }
      body += Self.line(figure, colour, x, y)
    }
    return
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(HTMLText.escaped(figures.first?.words.title ?? "")) over time\">\n\(body)</svg>"
  }

  /// Splits the seconds at gaps of more than 3 s; a single second is a dot.
  private static func runs(_ figure: FigureReport) -> [[FigureReport.Point]] {
    var runs: [[FigureReport.Point]] = []
    for point in figure.seconds {
      if let last = runs.last?.last, point.at - last.at <= 3 {
        runs[runs.count - 1].append(point)
      } else {
        runs.append([point])
      }
    }
    return runs
  }

  private static func line(
    _ figure: FigureReport, _ colour: Int, _ x: (Double) -> Double, _ y: (Double) -> Double
  ) -> String {
    var body = ""
    for run in runs(figure) {
      if run.count == 1, let point = run.first {
        body +=
          "<circle class=\"dot\" style=\"fill:var(--line\(colour))\" cx=\"\(text(x(Double(point.at) + 0.5)))\" cy=\"\(text(y(point.mean)))\" r=\"2.5\"/>\n"
      } else {
        let points = run.map { "\(text(x(Double($0.at) + 0.5))),\(text(y($0.mean)))" }
        body += "<polyline class=\"line\" style=\"stroke:var(--line\(colour))\" points=\"\(points.joined(separator: " "))\"/>\n"
      }
    }
    return body
  }

  private static func band(
    _ figure: FigureReport, _ colour: Int, _ x: (Double) -> Double, _ y: (Double) -> Double
  ) -> String {
    runs(figure).filter { run in run.contains { $0.max > $0.min } }.map { run in
      // A single second is as wide as a dot.
      let places = run.count == 1 ? [-0.2, 0.2] : [0]
      let above = run.flatMap { point in places.map { "\(text(x(Double(point.at) + 0.5 + $0))),\(text(y(point.max)))" } }
      let below = run.flatMap { point in places.map { "\(text(x(Double(point.at) + 0.5 + $0))),\(text(y(point.min)))" } }
      return
        "<polygon class=\"band\" style=\"fill:var(--line\(colour))\" points=\"\((above + below.reversed()).joined(separator: " "))\"/>\n"
    }.joined()
  }

  private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// Round numbers along an axis.
struct Ticks {
  let values: [Double]
  let lower: Double
  let upper: Double

  init(_ range: ClosedRange<Double>, wanted: Int = 4) {
    let rough = max(range.upperBound - range.lowerBound, 1e-9) / Double(wanted)
    let power = pow(10, floor(log10(rough)))
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? power * 10
    lower = floor(range.lowerBound / step) * step
    upper = ceil(range.upperBound / step) * step
    let count = Int(((upper - lower) / step).rounded())
    let start = lower
    values = (0...max(1, count)).map { start + Double($0) * step }
  }
}

/// Escapes text for HTML.
enum HTMLText {
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
