/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
struct VoiceResult: MeasuredResult {
  var target: VoiceServerKind
  var speakers: Int
  var listeners: Int
  /// Length of the window with all participants, in seconds.
  var seconds: Double

  /// The server's CPU with all participants, as a percentage of one core; nil if its process is unknown.
  var cpuPercent: Double?
  /// The same before the first listener joined.
  var cpuPercentSpeakers: Double?
  /// The CPU that each listener adds.
  var cpuPercentPerListener: Double?
  /// The total CPU divided by the number of participants.
  var cpuPercentPerParticipant: Double?
  /// CPU of all processes other than the server and the bots, and CPU of the bots, as a percentage of one core.
  var othersPercent: Double?
  var botsPercent: Double

  /// Packets that all listeners received in total, and packets that each of them should have received.
  var packets: Int
  var packetsPerListenerPerSecond: Double
  /// Gaps in sequence numbers, in packets.
  var lostPackets: Int
  /// Number of times that a listener's audio paused for more than 60 ms.
  var gaps: Int
  /// Listeners that received nothing in the window's last second.
  var silentListeners: Int
  /// Datagrams dropped because the bots' socket buffers were full.
  var receiverDrops: Int
  /// Sampled packets that could not be decrypted.
  var unauthentic: Int

  /// Number of speakers that a listener receives.
  var heardByListener: Int
  /// Lowest number of other speakers that any speaker receives.
  var heardBySpeakers: Int
  /// Number of speakers that receive their own voice.
  var echoes: Int

  /// Resident memory with all participants, in MB, and the growth per listener, in kB (1000 bytes).
  var residentMegabytes: Double?
  var kilobytesPerListener: Double?

  enum CodingKeys: String, CodingKey {
    case target, speakers, listeners, seconds
    case cpuPercent = "cpu_percent"
    case cpuPercentSpeakers = "cpu_percent_speakers_alone"
    case cpuPercentPerListener = "cpu_percent_per_listener"
    case cpuPercentPerParticipant = "cpu_percent_per_participant"
    case othersPercent = "others_cpu_percent"
    case botsPercent = "bots_cpu_percent"
    case packets = "packets_received"
    case packetsPerListenerPerSecond = "packets_per_listener_per_second"
    case lostPackets = "lost_packets"
    case gaps = "audio_gaps"
    case silentListeners = "silent_listeners"
    case receiverDrops = "receiver_drops"
    case unauthentic
    case heardByListener = "speakers_heard_by_listener"
    case heardBySpeakers = "others_heard_by_speakers"
    case echoes
    case residentMegabytes = "rss_mb"
    case kilobytesPerListener = "kb_per_listener"
  }

  /// Whether everyone received all expected speakers and nothing was lost.
  var isValid: Bool {
    lostPackets == 0 && silentListeners == 0 && unauthentic == 0 && heardByListener == speakers
      && heardBySpeakers == speakers - 1 && echoes == 0
  }
}

extension VoiceResult {
  /// Computes the result of two windows: with the speakers alone, and with all participants.
  init(
    _ plan: VoicePlan, _ target: VoiceServerKind, alone: Window<PacketCounts>, all: Window<PacketCounts>, heard: VoiceDetection
  ) {
    let (first, last) = (all.first.counts, all.last.counts)
    let cpu = all.serverPercent
    let listeners = Double(plan.listeners)
    let packets = last.received - first.received
    self.init(
      target: target, speakers: plan.speakers, listeners: plan.listeners, seconds: all.seconds, cpuPercent: cpu,
      cpuPercentSpeakers: alone.serverPercent,
      cpuPercentPerListener: cpu.flatMap { cpu in alone.serverPercent.map { (cpu - $0) / listeners } },
      cpuPercentPerParticipant: cpu.map { $0 / (listeners + Double(plan.speakers)) },
      othersPercent: all.othersPercent, botsPercent: all.botsPercent, packets: packets,
      packetsPerListenerPerSecond: Double(packets) / listeners / all.seconds, lostPackets: last.lost - first.lost,
      gaps: last.pauses - first.pauses, silentListeners: max(0, plan.listeners - last.liveStreams),
      receiverDrops: last.drops - first.drops, unauthentic: last.unauthentic, heardByListener: heard.byListener,
      heardBySpeakers: heard.bySpeakers ?? 0, echoes: heard.echoes, residentMegabytes: all.residentMegabytes,
      kilobytesPerListener: all.kilobytes(since: alone.last.server, for: plan.listeners))
  }
}
