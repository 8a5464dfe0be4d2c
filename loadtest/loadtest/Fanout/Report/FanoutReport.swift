import Foundation

/// The figures in the table, the medians and the chart.
extension FanoutResult {
  var summary: String {
    let cpu = cpuPerPacket.map { String(format: ", %.2f µs/packet", $0) } ?? ""
    return "\(Int(packetsPerSecond)) packets/s\(cpu), \(lostPackets) lost"
  }

  static var columns: [Column<Self>] {
    [
      Column("packets/s", 0, \.packetsPerSecond), Column("CPU µs/packet", 2, \.cpuPerPacket),
      Column("CPU % (kernel)") {
        "\(MarkdownTable.number($0.cpuPercent, 1)) (\(MarkdownTable.number($0.systemPercent, 0)))"
      },
      Column("lost", text: \.losses), Column("join p50 / p99 ms", 1, \.joinP50, \.joinP99),
      Column("video p50 / p99 ms", 1, \.videoP50, \.videoP99),
      Column("delay p50 / p99 ms", 1, \.delayP50, \.delayP99),
      Column("kB/subscriber", 0, \.kilobytesPerSubscriber), Column("RSS MB", 1, \.residentMegabytes),
      Column("others' CPU %", 0, \.othersPercent),
    ]
  }

  private var losses: String {
    var text = "\(lostPackets)"
    if receiverDrops > 0 { text += " (\(receiverDrops) by the bots' sockets)" }
    if silentStreams > 0 { text += ", \(silentStreams) streams silent" }
    if unauthentic > 0 { text += ", \(unauthentic) not authentic" }
    return text
  }

  static var medianColumns: [Column<Medians<Self>>] {
    [
      Column("packets/s", 0, \.packetsPerSecond), Column("CPU µs/packet", 2, \.cpuPerPacket),
      Column("loss") { $0.loss == 0 ? "0" : String(format: "%.4f %%", $0.loss * 100) },
      Column("join p50 / p99 ms", 1, \.joinP50, \.joinP99), Column("video p50 ms", 1, \.videoP50),
      Column("kB/subscriber", 0, \.kilobytesPerSubscriber),
    ]
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    [
      (.cpuPerPacket, \.cpuPerPacket), (.packetsPerSecond, \.packetsPerSecond), (.loss, \.loss), (.joinP50, \.joinP50),
      (.joinP99, \.joinP99), (.videoP50, \.videoP50), (.kilobytesPerSubscriber, \.kilobytesPerSubscriber),
    ]
  }

  static var charted: [ChartedFigure<Self>] {
    [
      ChartedFigure("CPU per forwarded packet", "µs", 2, \.cpuPerPacket),
      ChartedFigure("Join to first packet, p50", "ms", 1, \.joinP50),
      ChartedFigure("Memory per subscriber", "kB", 0, \.kilobytesPerSubscriber),
    ]
  }

  static var cost: (name: String, value: (Medians<Self>) -> Double?)? { ("CPU per packet", \.cpuPerPacket) }
}
