import Foundation

/// Formats results as a readable Markdown table.
enum ViewersTable {
  private static let head = [
    "run", "target", "messages/s", "CPU %/viewer", "CPU µs/message", "CPU % (kernel)", "delivered", "lost",
    "first picture p50 / p99 ms", "delay p50 / p99 ms", "kB/viewer", "RSS MB", "bots' CPU %", "others' CPU %",
  ]

  static func text(_ series: ViewersSeries) -> String {
    let targets = max(1, series.medians.count)
    var lines = [MarkdownTable.row(head), MarkdownTable.row(head.map { _ in "---" })]
    for (index, run) in series.runs.enumerated() { lines.append(MarkdownTable.row(cells(run, number: index / targets + 1))) }
    guard series.runs.count > 1 else { return lines.joined(separator: "\n") }
    lines += ["", "Medians:", ""]
    let columns = [
      "target", "messages/s", "CPU %/viewer", "CPU µs/message", "delivered", "first picture p50 / p99 ms", "delay p50 ms",
      "kB/viewer",
    ]
    lines += [MarkdownTable.row(columns), MarkdownTable.row(columns.map { _ in "---" })]
    for median in series.medians {
      lines.append(
        MarkdownTable.row([
          median.target.rawValue, number(median.messagesPerSecond, 0), number(median.cpuPercentPerViewer, 4),
          number(median.cpuPerMessage, 2), percent(median.delivered),
          "\(number(median.joinP50, 0)) / \(number(median.joinP99, 0))", number(median.delayP50, 1),
          number(median.kilobytesPerViewer, 1),
        ]))
    }
    if !series.cpuRatios.isEmpty { lines.append("") }
    for ratio in series.cpuRatios {
      lines.append("CPU per viewer, \(ratio.target.rawValue) : \(ratio.to.rawValue) = \(number(ratio.ratio, 3))")
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(_ run: ViewersResult, number index: Int) -> [String] {
    var lost = "\(run.lost)"
    if run.starved > 0 { lost += ", \(run.starved) viewers starved" }
    if run.gone > 0 { lost += ", \(run.gone) viewers disconnected" }
    if run.disordered > 0 { lost += ", \(run.disordered) out of order" }
    if run.altered > 0 { lost += ", \(run.altered) altered" }
    return [
      "\(index)", run.target.rawValue, number(run.messagesPerSecond, 0), number(run.cpuPercentPerViewer, 4),
      number(run.cpuPerMessage, 2), "\(number(run.cpuPercent, 1)) (\(number(run.systemPercent, 0)))", percent(run.delivered),
      lost, "\(number(run.joinP50, 0)) / \(number(run.joinP99, 0))",
      "\(number(run.delayP50, 1)) / \(number(run.delayP99, 1))", number(run.kilobytesPerViewer, 1),
      number(run.residentMegabytes, 1), number(run.botsPercent, 0), number(run.othersPercent, 0),
    ]
  }

  private static func number(_ value: Double?, _ digits: Int) -> String { MarkdownTable.number(value, digits) }

  private static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
}
