/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
struct VoiceResult: Codable, Sendable {
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
  init(
    _ plan: VoicePlan, _ kind: VoiceServerKind, alone: (VoiceMoment, VoiceMoment), all: (VoiceMoment, VoiceMoment),
    heard: VoiceDetection
  ) {
    let (start, end) = all
    let seconds = end.seconds(since: start)
    let cpu = end.cpuPercent(since: start)
    let speakers = alone.1.cpuPercent(since: alone.0)
    let listeners = Double(plan.listeners)
    let packets = end.counts.received - start.counts.received
    let grown = end.server.flatMap { now in alone.1.server.map { Double(now.resident - $0.resident) } }
    self.init(
      target: kind, speakers: plan.speakers, listeners: plan.listeners, seconds: seconds, cpuPercent: cpu,
      cpuPercentSpeakers: speakers,
      cpuPercentPerListener: cpu.flatMap { cpu in speakers.map { (cpu - $0) / listeners } },
      cpuPercentPerParticipant: cpu.map { $0 / (listeners + Double(plan.speakers)) },
      othersPercent: end.othersPercent(since: start), botsPercent: end.botsPercent(since: start), packets: packets,
      packetsPerListenerPerSecond: Double(packets) / listeners / seconds,
      lostPackets: end.counts.lost - start.counts.lost, gaps: end.counts.pauses - start.counts.pauses,
      silentListeners: max(0, plan.listeners - end.counts.liveStreams), receiverDrops: end.drops - start.drops,
      unauthentic: end.counts.unauthentic, heardByListener: heard.byListener, heardBySpeakers: heard.bySpeakers ?? 0,
      echoes: heard.echoes, residentMegabytes: end.server.map { Double($0.resident) / 1e6 },
      kilobytesPerListener: grown.map { $0 / 1000 / listeners })
  }
}

/// Several measurements of one or more servers, in the order in which they were made.
struct VoiceSeries: Codable, Sendable {
  var runs: [VoiceResult]
  var medians: [Medians]
  /// The first target's CPU per listener relative to each of the others, from the medians.
  var cpuRatios: [Ratio]

  struct Medians: Codable, Sendable {
    var target: VoiceServerKind
    var cpuPercent: Double?
    var cpuPercentSpeakers: Double?
    var cpuPercentPerListener: Double?

    enum CodingKeys: String, CodingKey {
      case target
      case cpuPercent = "cpu_percent"
      case cpuPercentSpeakers = "cpu_percent_speakers_alone"
      case cpuPercentPerListener = "cpu_percent_per_listener"
    }
  }

  struct Ratio: Codable, Sendable {
    var target: VoiceServerKind
    var to: VoiceServerKind
    var ratio: Double
  }

  private enum CodingKeys: String, CodingKey {
    case runs, medians
    case cpuRatios = "cpu_ratios"
  }

  init(_ runs: [VoiceResult]) {
    self.runs = runs
    var order: [VoiceServerKind] = []
    for run in runs where !order.contains(run.target) { order.append(run.target) }
    let medians = order.map { target in
      let own = runs.filter { $0.target == target }
      return Medians(
        target: target, cpuPercent: own.compactMap(\.cpuPercent).quantile(0.5),
        cpuPercentSpeakers: own.compactMap(\.cpuPercentSpeakers).quantile(0.5),
        cpuPercentPerListener: own.compactMap(\.cpuPercentPerListener).quantile(0.5))
    }
    self.medians = medians
    cpuRatios = []
    guard let first = medians.first, let own = first.cpuPercentPerListener, own > 0 else { return }
    for other in medians.dropFirst() {
      guard let theirs = other.cpuPercentPerListener, theirs > 0 else { continue }
      cpuRatios.append(Ratio(target: first.target, to: other.target, ratio: own / theirs))
    }
  }
}
