import Foundation

/// Draws bars for each target as SVG, one panel per figure. Readable on light and dark pages.
enum BarChart {
  struct Panel {
    var title: String
    var unit: String
    var digits: Int
    var bars: [Bar]
  }

  struct Bar {
    var name: String
    var value: Double
  }

  private static let width = 760
  private static let panelHeight = 34
  private static let barHeight = 22
  private static let leastLabel = 120
  /// Width of labels and bars, without the values behind the bars.
  private static let inner = 640

  /// Panels without bars are omitted.
  static func svg(_ panels: [Panel]) -> String {
    var body = ""
    var y = 12
    // A letter is about 7 wide.
    let longest = panels.flatMap(\.bars).map(\.name.count).max() ?? 0
    let label = min(max(leastLabel, 7 * longest + 24), inner / 2)
    let room = inner - label
    for panel in panels where !panel.bars.isEmpty {
      body += "<text class=\"title\" x=\"12\" y=\"\(y + 16)\">\(panel.title)</text>\n"
      y += panelHeight
      let largest = max(panel.bars.map(\.value).max() ?? 1, 1e-9)
      for (index, bar) in panel.bars.enumerated() {
        let length = max(2, Int(bar.value / largest * Double(room)))
        body += """
          <text x="12" y="\(y + 15)">\(bar.name)</text>
          <rect class="bar\(min(index, 2))" x="\(label)" y="\(y)" width="\(length)" height="\(barHeight - 4)" rx="3"/>
          <text x="\(label + length + 8)" y="\(y + 15)">\(String(format: "%.\(panel.digits)f", bar.value)) \(panel.unit)</text>

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
