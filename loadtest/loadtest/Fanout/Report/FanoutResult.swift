/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
struct FanoutResult: Codable, Sendable {
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
    case kilobytesPerSubscriber = "kb_per_subscriber"
    case proportionalKilobytesPerSubscriber = "pss_kb_per_subscriber"
    case residentMegabytes = "rss_mb"
    case gso
  }

  /// Whether the server served every stream completely and authentically.
  var isValid: Bool { lostPackets == 0 && silentStreams == 0 && unauthentic == 0 }
}

/// Several measurements of one or more servers, in the order in which they were made.
struct FanoutSeries: Codable, Sendable {
  var runs: [FanoutResult]
  var medians: [Medians]
  /// The first target's CPU per packet relative to each of the others, from the medians.
  var cpuRatios: [Ratio]

  struct Medians: Codable, Sendable {
    var target: TargetKind
    var cpuPerPacket: Double?
    var packetsPerSecond: Double
    var loss: Double
    var joinP50: Double
    var joinP99: Double
    var videoP50: Double
    var kilobytesPerSubscriber: Double?

    enum CodingKeys: String, CodingKey {
      case target
      case cpuPerPacket = "cpu_us_per_packet"
      case packetsPerSecond = "packets_per_second"
      case loss
      case joinP50 = "join_ms_p50"
      case joinP99 = "join_ms_p99"
      case videoP50 = "video_ms_p50"
      case kilobytesPerSubscriber = "kb_per_subscriber"
    }
  }

  struct Ratio: Codable, Sendable {
    var target: TargetKind
    var to: TargetKind
    var ratio: Double
  }

  private enum CodingKeys: String, CodingKey {
    case runs, medians
    case cpuRatios = "cpu_ratios"
  }

  init(_ runs: [FanoutResult]) {
    self.runs = runs
    var order: [TargetKind] = []
    for run in runs where !order.contains(run.target) { order.append(run.target) }
    let medians = order.map { target in
      let own = runs.filter { $0.target == target }
      return Medians(
        target: target, cpuPerPacket: own.compactMap(\.cpuPerPacket).quantile(0.5),
        packetsPerSecond: own.map(\.packetsPerSecond).quantile(0.5) ?? 0, loss: own.map(\.loss).quantile(0.5) ?? 0,
        joinP50: own.map(\.joinP50).quantile(0.5) ?? 0, joinP99: own.map(\.joinP99).quantile(0.5) ?? 0,
        videoP50: own.map(\.videoP50).quantile(0.5) ?? 0,
        kilobytesPerSubscriber: own.compactMap(\.kilobytesPerSubscriber).quantile(0.5))
    }
    self.medians = medians
    cpuRatios = []
    guard let first = medians.first, let cpu = first.cpuPerPacket else { return }
    for other in medians.dropFirst() {
      guard let theirs = other.cpuPerPacket, theirs > 0 else { continue }
      cpuRatios.append(Ratio(target: first.target, to: other.target, ratio: cpu / theirs))
    }
  }
}

extension [Double] {
  /// Returns the quantile for `fraction`, the nearest value without interpolation (the lower median of an even count); nil if
  /// there are no values.
  func quantile(_ fraction: Double) -> Double? {
    guard !isEmpty else { return nil }
    let rank = Int((fraction * Double(count)).rounded(.up)) - 1
    return sorted()[Swift.min(Swift.max(rank, 0), count - 1)]
  }
}
