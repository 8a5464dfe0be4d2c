import Foundation

/// The medians of a series as a drawing: bars for each target, one panel for each figure. Readable on light and dark pages.
enum FanoutChart {
  private struct Panel {
    var title: String
    var unit: String
    var digits: Int
    var values: [(target: TargetKind, value: Double)]
  }

  private static let width = 760
  private static let panelHeight = 34
  private static let barHeight = 22
  private static let label = 120
  private static let room = 520

  static func svg(_ series: FanoutSeries) -> String {
    func panel(_ title: String, _ unit: String, _ digits: Int, _ value: (FanoutSeries.Medians) -> Double?) -> Panel? {
      let values = series.medians.compactMap { median in value(median).map { (median.target, $0) } }
      return values.isEmpty ? nil : Panel(title: title, unit: unit, digits: digits, values: values)
    }
    let panels = [
      panel("CPU for each forwarded packet", "µs", 2, \.cpuPerPacket),
      panel("Join to first packet, p50", "ms", 1, \.joinP50),
      panel("Memory for each subscriber", "kB", 0, \.kilobytesPerSubscriber),
    ].compactMap { $0 }
    var body = ""
    var y = 12
    for panel in panels {
      body += "<text class=\"title\" x=\"12\" y=\"\(y + 16)\">\(panel.title)</text>\n"
      y += panelHeight
      let largest = max(panel.values.map(\.value).max() ?? 1, .leastNonzeroMagnitude)
      for (index, (target, value)) in panel.values.enumerated() {
        let length = max(2, Int(value / largest * Double(room)))
        body += """
          <text x="12" y="\(y + 15)">\(target.rawValue)</text>
          <rect class="bar\(min(index, 2))" x="\(label)" y="\(y)" width="\(length)" height="\(barHeight - 4)" rx="3"/>
          <text x="\(label + length + 8)" y="\(y + 15)">\(String(format: "%.\(panel.digits)f", value)) \(panel.unit)</text>

          """
        y += barHeight
      }
      y += 14
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(y)" width="\(width)" height="\(y)" role="img">
      <style>
      text { font: 13px system-ui, sans-serif; fill: #1f2328; }
      .title { font-weight: 600; }
      .bar0 { fill: #2f81f7; } .bar1 { fill: #9a6700; } .bar2 { fill: #6e7781; }
      @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .bar1 { fill: #d29922; } }
      </style>
      \(body)</svg>

      """
  }
}
