import Foundation
import RoomLossyLink

/// Formats the record of a link as text.
enum LinkTable {
  static func text(_ report: LinkReport) -> String {
    var lines = [
      MarkdownTable.row(["direction", "packets", "kbit/s", "lost", "overflowed", "queue p50", "p95", "p99", "max ms"]),
      MarkdownTable.row(["---"] + Array(repeating: "--:", count: 8)),
      row("to the far side", report.down, report.seconds), row("to the near side", report.up, report.seconds), "",
      String(
        format: "The link was late by %.1f ms (p50) and %.1f ms (p99)%@.", report.latenessP50, report.latenessP99,
        report.isFirst ? "" : ", without priority over other threads"),
    ]
    if !report.isTrustworthy {
      lines.append("Over \(FigureText.number(LinkReport.latenessLimit)) ms (p99) the run measures this machine, not the link.")
    }
    return lines.joined(separator: "\n")
  }

  private static func row(_ name: String, _ direction: LinkReport.Direction, _ seconds: Double) -> String {
    let rate = Double(direction.deliveredBytes) * 8 / 1000 / max(seconds, 0.001)
    return MarkdownTable.row(
      [name, "\(direction.packets)", FigureText.number(rate), "\(direction.lost)", "\(direction.overflowed)"]
        + [direction.queueP50, direction.queueP95, direction.queueP99, direction.queueMax].map(FigureText.number))
  }
}
