import Foundation

/// Formats results as a readable Markdown table.
enum VoiceTable {
  private static let head = [
    "run", "target", "CPU %", "speakers only", "per listener", "per participant", "packets/s each", "lost", "gaps",
    "speakers heard", "RSS MB", "others' CPU %",
  ]

  static func text(_ series: VoiceSeries) -> String {
    let targets = max(1, series.medians.count)
    var lines = [MarkdownTable.row(head), MarkdownTable.row(head.map { _ in "---" })]
    for (index, run) in series.runs.enumerated() {
      lines.append(MarkdownTable.row(cells(run, number: index / targets + 1)))
    }
    guard series.runs.count > 1 else { return lines.joined(separator: "\n") }
    lines += ["", "Medians:", ""]
    let columns = ["target", "CPU %", "speakers only", "per listener"]
    lines += [MarkdownTable.row(columns), MarkdownTable.row(columns.map { _ in "---" })]
    for median in series.medians {
      lines.append(
        MarkdownTable.row([
          median.target.rawValue, number(median.cpuPercent, 1), number(median.cpuPercentSpeakers, 1),
          number(median.cpuPercentPerListener, 3),
        ]))
    }
    if !series.cpuRatios.isEmpty { lines.append("") }
    for ratio in series.cpuRatios {
      lines.append(
        "CPU per listener, \(ratio.target.rawValue) : \(ratio.to.rawValue) = \(number(ratio.ratio, 3)) (1/\(number(1 / ratio.ratio, 1)))"
      )
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(_ run: VoiceResult, number index: Int) -> [String] {
    var lost = "\(run.lostPackets)"
    if run.receiverDrops > 0 { lost += " (\(run.receiverDrops) by the bots' sockets)" }
    if run.silentListeners > 0 { lost += ", \(run.silentListeners) receive nothing" }
    if run.unauthentic > 0 { lost += ", \(run.unauthentic) not authentic" }
    var heard = "\(run.heardByListener) of \(run.speakers), speakers \(run.heardBySpeakers)"
    if run.echoes > 0 { heard += ", \(run.echoes) themselves" }
    return [
      "\(index)", run.target.rawValue, number(run.cpuPercent, 1), number(run.cpuPercentSpeakers, 1),
      number(run.cpuPercentPerListener, 3), number(run.cpuPercentPerParticipant, 3),
      number(run.packetsPerListenerPerSecond, 1), lost, "\(run.gaps)", heard, number(run.residentMegabytes, 1),
      number(run.othersPercent, 0),
    ]
  }

  private static func number(_ value: Double?, _ digits: Int) -> String { MarkdownTable.number(value, digits) }
}
