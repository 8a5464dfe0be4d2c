import RoomRTP

/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
struct FanoutResult: MeasuredResult {
  var target: TargetKind
  var subscribers: Int
  var publishers: Int
  /// Length of the measurement window, in seconds.
  var seconds: Double
  /// "gcm" or "cm".
  var profile: String

  /// RTP packets per second that all subscribers received in total.
  var packetsPerSecond: Double
  /// Their throughput in Mbps, including SRTP overhead.
  var megabitsPerSecond: Double
  /// The server's CPU per packet, user and system, in microseconds; nil if the server's process is unknown.
  var cpuPerPacket: Double?
  /// The server's CPU as a percentage of one core.
  var cpuPercent: Double?
  /// Percentage of the server's CPU time spent in the kernel.
  var systemPercent: Double?
  /// CPU of all processes other than the server and the bots, as a percentage of one core: shows how quiet the machine was.
  var othersPercent: Double?
  /// CPU of the bots as a percentage of one core.
  var botsPercent: Double

  /// Share of the window's packets that are missing from the sequence.
  var loss: Double
  var lostPackets: Int
  var duplicates: Int
  /// Datagrams dropped because the bots' socket buffers were full.
  var receiverDrops: Int
  /// Expected streams that delivered nothing in the window's last second.
  var silentStreams: Int
  /// Packets that were decrypted as a sample, and how many of them failed to decrypt.
  var sampled: Int
  var unauthentic: Int

  /// Milliseconds from a subscriber's request to its first packet, and to its first video packet.
  var joinP50: Double
  var joinP99: Double
  var videoP50: Double
  var videoP99: Double

  /// Milliseconds that the window's packets took longer than the fastest of their stream.
  var delayP50: Double
  var delayP99: Double

  /// Growth of the server's resident memory per subscriber, in kB (1000 bytes).
  var kilobytesPerSubscriber: Double?
  var proportionalKilobytesPerSubscriber: Double?
  /// Resident memory at the window's end, in MB.
  var residentMegabytes: Double?

  /// Growth of the server's counters of segmentation offload (GSO) in the window.
  var gso: [String: Int64]?

  enum CodingKeys: String, CodingKey {
    case target, subscribers, publishers, seconds, profile
    case packetsPerSecond = "packets_per_second"
    case megabitsPerSecond = "mbit_per_second"
    case cpuPerPacket = "cpu_us_per_packet"
    case cpuPercent = "cpu_percent"
    case systemPercent = "cpu_system_percent"
    case othersPercent = "others_cpu_percent"
    case botsPercent = "bots_cpu_percent"
    case loss
    case lostPackets = "lost_packets"
    case duplicates
    case receiverDrops = "receiver_drops"
    case silentStreams = "silent_streams"
    case sampled, unauthentic
    case joinP50 = "join_ms_p50"
    case joinP99 = "join_ms_p99"
    case videoP50 = "video_ms_p50"
    case videoP99 = "video_ms_p99"
    case delayP50 = "delay_ms_p50"
    case delayP99 = "delay_ms_p99"
    case kilobytesPerSubscriber = "kb_per_subscriber"
    case proportionalKilobytesPerSubscriber = "pss_kb_per_subscriber"
    case residentMegabytes = "rss_mb"
    case gso
  }

  /// Whether the server served every stream completely and authentically.
  var isValid: Bool { lostPackets == 0 && silentStreams == 0 && unauthentic == 0 }
}

extension FanoutResult {
  /// Computes the result of a window.
  /// - Parameter alone: the server's process before the first subscriber.
  init(
    _ plan: FanoutPlan, _ target: TargetKind, _ alone: ProcessUsage?, _ window: Window<PacketCounts>, joins: [JoinOutcome.Times]
  ) {
    let (seconds, first, last) = (window.seconds, window.first.counts, window.last.counts)
    let received = last.received - first.received
    let lost = last.lost - first.lost
    func milliseconds(_ moment: (JoinOutcome.Times) -> Instant?) -> [Double] {
      joins.compactMap { times in
        guard let begun = times.begun, let moment = moment(times) else { return nil }
        return Double(moment - begun) / 1000
      }
    }
    let delays = last.delays - first.delays
    let media = milliseconds(\.media)
    let video = milliseconds(\.video)
    let gso = window.metrics.map { $0.last.growth(since: $0.first, of: "segment") } ?? [:]
    self.init(
      target: target, subscribers: plan.subscribers, publishers: plan.publishers, seconds: seconds,
      profile: plan.profile.rawValue,
      packetsPerSecond: Double(received) / seconds, megabitsPerSecond: Double(last.bytes - first.bytes) * 8 / 1e6 / seconds,
      cpuPerPacket: window.serverTime.map { $0 / 1000 / Double(max(1, received)) }, cpuPercent: window.serverPercent,
      systemPercent: window.systemPercent, othersPercent: window.othersPercent, botsPercent: window.botsPercent,
      loss: received + lost > 0 ? Double(lost) / Double(received + lost) : 0, lostPackets: lost,
      duplicates: last.duplicates - first.duplicates, receiverDrops: last.drops - first.drops,
      silentStreams: max(0, plan.streams - last.liveStreams), sampled: last.sampled, unauthentic: last.unauthentic,
      joinP50: media.quantile(0.5) ?? 0, joinP99: media.quantile(0.99) ?? 0, videoP50: video.quantile(0.5) ?? 0,
      videoP99: video.quantile(0.99) ?? 0, delayP50: delays.quantile(0.5), delayP99: delays.quantile(0.99),
      kilobytesPerSubscriber: window.kilobytes(since: alone, for: plan.subscribers),
      proportionalKilobytesPerSubscriber: window.kilobytes(since: alone, for: plan.subscribers, of: \.proportional),
      residentMegabytes: window.residentMegabytes, gso: gso.isEmpty ? nil : gso)
  }
}
