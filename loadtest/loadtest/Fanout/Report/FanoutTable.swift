import Foundation

/// Formats results as a readable Markdown table.
enum FanoutTable {
  private static let head = [
    "run", "target", "packets/s", "CPU µs/packet", "CPU % (kernel)", "lost", "join p50 / p99 ms", "video p50 / p99 ms",
    "kB/subscriber", "RSS MB", "others' CPU %",
  ]

  static func text(_ series: FanoutSeries) -> String {
    let targets = max(1, series.medians.count)
    var lines = [row(head), row(head.map { _ in "---" })]
    for (index, run) in series.runs.enumerated() { lines.append(row(cells(run, number: index / targets + 1))) }
    guard series.runs.count > 1 else { return lines.joined(separator: "\n") }
    lines += ["", "Medians:", ""]
    let columns = ["target", "packets/s", "CPU µs/packet", "loss", "join p50 / p99 ms", "video p50 ms", "kB/subscriber"]
    lines += [row(columns), row(columns.map { _ in "---" })]
    for median in series.medians {
      lines.append(
        row([
          median.target.rawValue, number(median.packetsPerSecond, 0), number(median.cpuPerPacket, 2), percent(median.loss),
          "\(number(median.joinP50, 1)) / \(number(median.joinP99, 1))", number(median.videoP50, 1),
          number(median.kilobytesPerSubscriber, 0),
        ]))
    }
    if !series.cpuRatios.isEmpty { lines.append("") }
    for ratio in series.cpuRatios {
      lines.append(
        "CPU per packet, \(ratio.target.rawValue) : \(ratio.to.rawValue) = \(number(ratio.ratio, 3)) (1/\(number(1 / ratio.ratio, 1)))"
      )
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(_ run: FanoutResult, number index: Int) -> [String] {
    var lost = "\(run.lostPackets)"
    if run.receiverDrops > 0 { lost += " (\(run.receiverDrops) by the bots' sockets)" }
    if run.silentStreams > 0 { lost += ", \(run.silentStreams) streams silent" }
    if run.unauthentic > 0 { lost += ", \(run.unauthentic) not authentic" }
    return [
      "\(index)", run.target.rawValue, number(run.packetsPerSecond, 0), number(run.cpuPerPacket, 2),
      "\(number(run.cpuPercent, 1)) (\(number(run.systemPercent, 0)))", lost,
      "\(number(run.joinP50, 1)) / \(number(run.joinP99, 1))", "\(number(run.videoP50, 1)) / \(number(run.videoP99, 1))",
      number(run.kilobytesPerSubscriber, 0), number(run.residentMegabytes, 1), number(run.othersPercent, 0),
    ]
  }

  private static func row(_ cells: [String]) -> String { MarkdownTable.row(cells) }

  private static func number(_ value: Double?, _ digits: Int) -> String { MarkdownTable.number(value, digits) }

  private static func percent(_ share: Double) -> String { share == 0 ? "0" : String(format: "%.4f %%", share * 100) }
}
