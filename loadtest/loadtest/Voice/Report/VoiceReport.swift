import Foundation

/// The figures in the table and the medians.
extension VoiceResult {
  var summary: String {
    let cpu = cpuPercentPerListener.map { String(format: ", %.3f %% of a core per listener", $0) } ?? ""
    return "\(packets) packets\(cpu), \(lostPackets) lost"
  }

  static var columns: [Column<Self>] {
    [
      Column("CPU %", 1, \.cpuPercent), Column("speakers only", 1, \.cpuPercentSpeakers),
      Column("per listener", 3, \.cpuPercentPerListener), Column("per participant", 3, \.cpuPercentPerParticipant),
      Column("packets/s each", 1, \.packetsPerListenerPerSecond), Column("lost", text: \.losses),
      Column("gaps") { "\($0.gaps)" }, Column("speakers heard", text: \.heard), Column("RSS MB", 1, \.residentMegabytes),
      Column("others' CPU %", 0, \.othersPercent),
    ]
  }

  private var losses: String {
    var text = "\(lostPackets)"
    if receiverDrops > 0 { text += " (\(receiverDrops) by the bots' sockets)" }
    if silentListeners > 0 { text += ", \(silentListeners) receive nothing" }
    if unauthentic > 0 { text += ", \(unauthentic) not authentic" }
    return text
  }

  private var heard: String {
    let text = "\(heardByListener) of \(speakers), speakers \(heardBySpeakers)"
    return echoes > 0 ? text + ", \(echoes) themselves" : text
  }

  static var medianColumns: [Column<Medians<Self>>] {
    [
      Column("CPU %", 1, \.cpuPercent), Column("speakers only", 1, \.cpuPercentSpeakers),
      Column("per listener", 3, \.cpuPercentPerListener),
    ]
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    [
      (.cpuPercent, \.cpuPercent), (.cpuPercentSpeakers, \.cpuPercentSpeakers),
      (.cpuPercentPerListener, \.cpuPercentPerListener),
    ]
  }

  static var cost: (name: String, value: (Medians<Self>) -> Double?)? { ("CPU per listener", \.cpuPercentPerListener) }
}
