import Foundation

/// Draws the load of the nodes over time as SVG, one panel per scenario. Readable on light and dark pages.
enum LoadChart {
  struct Panel {
    var title: String
    var seconds: [Samples.Second]
  }

  private static let width = 760.0
  private static let height = 150.0
  private static let left = 48.0
  private static let top = 30.0

  static func svg(_ panels: [Panel]) -> String {
    let drawn = panels.filter { $0.seconds.count > 1 }
    let body = drawn.enumerated().map { index, panel in
      draw(panel, at: Double(index) * (height + top + 26))
    }
    let total = Int(Double(drawn.count) * (height + top + 26))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(total)" width="\(Int(width))" height="\(total)" role="img">
      <style>
      text { font: 12px system-ui, sans-serif; fill: #1f2328; }
      .title { font-size: 13px; font-weight: 600; }
      line { stroke: #8b949e; stroke-width: .5; }
      polyline { fill: none; stroke-width: 1.6; }
      .mean { stroke: #2f81f7; } .p99 { stroke: #9a6700; } .max { stroke: #d1242f; }
      @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .p99 { stroke: #d29922; } .max { stroke: #f85149; } }
      </style>
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  private static func draw(_ panel: Panel, at offset: Double) -> String {
    guard let first = panel.seconds.first?.at, let last = panel.seconds.last?.at, last > first else { return "" }
    let base = offset + top + height
    func x(_ second: Double) -> Double { left + (second - first) / (last - first) * (width - left - 12) }
    func y(_ used: Double) -> Double { base - min(used, 1.25) / 1.25 * height }
    func line(_ name: String, _ value: (Samples.Second) -> Double) -> String {
      let points = panel.seconds.map { String(format: "%.1f,%.1f", x($0.at), y(value($0))) }.joined(separator: " ")
      return "<polyline class=\"\(name)\" points=\"\(points)\"/>"
    }
    var body = "<text class=\"title\" x=\"12\" y=\"\(offset + 18)\">\(panel.title): load of the nodes</text>\n"
    for (index, name) in ["mean", "p99", "max"].enumerated() {
      let start = width - 170 + 56 * Double(index)
      body += "<polyline class=\"\(name)\" points=\"\(start - 18),\(offset + 14) \(start - 4),\(offset + 14)\"/>"
      body += "<text x=\"\(start)\" y=\"\(offset + 18)\">\(name)</text>\n"
    }
    for percent in [0, 50, 100] {
      let level = y(Double(percent) / 100)
      body += "<line x1=\"\(left)\" x2=\"\(width - 12)\" y1=\"\(level)\" y2=\"\(level)\"/>"
      body += "<text x=\"12\" y=\"\(level + 4)\">\(percent) %</text>\n"
    }
    body += "<text x=\"\(left)\" y=\"\(base + 15)\">0 s</text>"
    body += "<text text-anchor=\"end\" x=\"\(width - 12)\" y=\"\(base + 15)\">\(Int(last - first)) s</text>\n"
    return body + [line("max", \.max), line("p99", \.p99), line("mean", \.mean)].joined(separator: "\n")
  }
}
