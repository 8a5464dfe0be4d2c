import Foundation

/// The figures in the table, the medians and the chart.
extension ViewersResult {
  var summary: String {
    let cpu = cpuPercentPerViewer.map { String(format: ", %.4f %% of a core per viewer", $0) } ?? ""
    return "\(Int(messagesPerSecond)) messages/s\(cpu), \(lost) lost"
  }

  static var columns: [Column<Self>] {
    [
      Column("messages/s", 0, \.messagesPerSecond), Column("CPU %/viewer", 4, \.cpuPercentPerViewer),
      Column("CPU µs/message", 2, \.cpuPerMessage),
      Column("CPU % (kernel)") {
        "\(MarkdownTable.number($0.cpuPercent, 1)) (\(MarkdownTable.number($0.systemPercent, 0)))"
      },
      Column("delivered") { percent($0.delivered) }, Column("lost", text: \.losses),
      Column("first picture p50 / p99 ms", 0, \.joinP50, \.joinP99),
      Column("delay p50 / p99 ms", 1, \.delayP50, \.delayP99), Column("kB/viewer", 1, \.kilobytesPerViewer),
      Column("RSS MB", 1, \.residentMegabytes), Column("bots' CPU %", 0, \.botsPercent),
      Column("others' CPU %", 0, \.othersPercent),
    ]
  }

  private var losses: String {
    var text = "\(lost)"
    if starved > 0 { text += ", \(starved) viewers starved" }
    if gone > 0 { text += ", \(gone) viewers disconnected" }
    if disordered > 0 { text += ", \(disordered) out of order" }
    if altered > 0 { text += ", \(altered) altered" }
    return text
  }

  private static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }

  static var medianColumns: [Column<Medians<Self>>] {
    [
      Column("messages/s", 0, \.messagesPerSecond), Column("CPU %/viewer", 4, \.cpuPercentPerViewer),
      Column("CPU µs/message", 2, \.cpuPerMessage), Column("delivered") { percent($0.delivered) },
      Column("first picture p50 / p99 ms", 0, \.joinP50, \.joinP99), Column("delay p50 ms", 1, \.delayP50),
      Column("kB/viewer", 1, \.kilobytesPerViewer),
    ]
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    [
      (.cpuPerMessage, \.cpuPerMessage), (.cpuPercentPerViewer, \.cpuPercentPerViewer),
      (.messagesPerSecond, \.messagesPerSecond), (.delivered, \.delivered), (.joinP50, \.joinP50), (.joinP99, \.joinP99),
      (.delayP50, \.delayP50), (.kilobytesPerViewer, \.kilobytesPerViewer),
    ]
  }

  static var charted: [ChartedFigure<Self>] {
    [
      ChartedFigure("CPU per viewer, of one core", "%", 4, \.cpuPercentPerViewer),
      ChartedFigure("CPU per delivered message", "µs", 2, \.cpuPerMessage),
      ChartedFigure("Connection to first picture, p50", "ms", 0, \.joinP50),
      ChartedFigure("Memory per viewer", "kB", 1, \.kilobytesPerViewer),
    ]
  }

  static var cost: (name: String, value: (Medians<Self>) -> Double?)? { ("CPU per viewer", \.cpuPercentPerViewer) }
}
