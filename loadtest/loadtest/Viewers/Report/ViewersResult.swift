/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
struct ViewersResult: MeasuredResult {
  var target: StreamServerKind
  var watching: WatchingProtocol
  var viewers: Int
  /// Length of the measurement window, in seconds.
  var seconds: Double

  /// Audio and video messages per second that all viewers received in total.
  var messagesPerSecond: Double
  /// Throughput of their sockets, in Mbps.
  var megabitsPerSecond: Double
  /// The server's CPU per message, user and system, in microseconds; nil if the server's process is unknown.
  var cpuPerMessage: Double?
  /// The server's CPU as a percentage of one core, in total and per viewer.
  var cpuPercent: Double?
  var cpuPercentPerViewer: Double?
  /// Percentage of the server's CPU time spent in the kernel.
  var systemPercent: Double?
  /// CPU of all processes other than the server and the bots, as a percentage of one core: shows how quiet the machine was.
  var othersPercent: Double?
  /// CPU of the bots including the publisher, as a percentage of one core.
  var botsPercent: Double

  /// Average share of the published bytes that viewers received.
  var delivered: Double
  /// Viewers that received less than 95 % of the published bytes.
  var starved: Int
  /// Messages missing from the sequence, over all viewers.
  var lost: Int
  /// Messages whose timestamp did not increase.
  var disordered: Int
  /// Viewers whose connection ended.
  var gone: Int
  /// Messages that were checked in full, and how many of them were not published by this run.
  var sampled: Int
  var altered: Int

  /// Milliseconds from connecting to the first key frame.
  var joinP50: Double
  var joinP99: Double
  /// Milliseconds from a message's time at the publisher to its arrival.
  var delayP50: Double
  var delayP99: Double

  /// Growth of the server's resident memory per viewer, in kB (1000 bytes). Socket buffers in the kernel are not included.
  var kilobytesPerViewer: Double?
  /// Resident memory at the window's end, in MB.
  var residentMegabytes: Double?

  enum CodingKeys: String, CodingKey {
    case target
    case watching = "protocol"
    case viewers, seconds
    case messagesPerSecond = "messages_per_second"
    case megabitsPerSecond = "mbit_per_second"
    case cpuPerMessage = "cpu_us_per_message"
    case cpuPercent = "cpu_percent"
    case cpuPercentPerViewer = "cpu_percent_per_viewer"
    case systemPercent = "cpu_system_percent"
    case othersPercent = "others_cpu_percent"
    case botsPercent = "bots_cpu_percent"
    case delivered
    case starved = "starved_viewers"
    case lost = "lost_messages"
    case disordered = "disordered_messages"
    case gone = "gone_viewers"
    case sampled, altered
    case joinP50 = "join_ms_p50"
    case joinP99 = "join_ms_p99"
    case delayP50 = "delay_ms_p50"
    case delayP99 = "delay_ms_p99"
    case kilobytesPerViewer = "kb_per_viewer"
    case residentMegabytes = "rss_mb"
  }

  /// Whether the server served every viewer correctly and completely.
  var isValid: Bool { starved == 0 && lost == 0 && disordered == 0 && gone == 0 && altered == 0 }
}

extension ViewersResult {
  /// Computes the result of a window.
  /// - Parameters:
  ///   - alone: the server's process before the first viewer.
  ///   - enough: the share of the published bytes below which a viewer is starved.
  init(
    _ plan: ViewersPlan, _ clip: LiveClip, _ target: StreamServerKind, _ alone: ProcessUsage?,
    _ window: Window<ViewersCount>, joins: [Double], samples: (frames: Int, altered: Int, delays: [Double]), enough: Double
  ) {
    let (seconds, first, last) = (window.seconds, window.first.counts, window.last.counts)
    let frames = last.frames - first.frames
    let published = Double(last.sent.payload - first.sent.payload) * Double(plan.count)
    self.init(
      target: target, watching: plan.watching, viewers: plan.count, seconds: seconds,
      messagesPerSecond: Double(frames) / seconds, megabitsPerSecond: Double(last.bytes - first.bytes) * 8 / 1e6 / seconds,
      cpuPerMessage: window.serverTime.map { $0 / 1000 / Double(max(1, frames)) }, cpuPercent: window.serverPercent,
      cpuPercentPerViewer: window.serverPercent.map { $0 / Double(plan.count) },
      systemPercent: window.systemPercent,
      othersPercent: window.othersPercent, botsPercent: window.botsPercent,
      delivered: published > 0 ? Double(last.payload - first.payload) / published : 0,
      starved: last.starved(since: first, below: enough), lost: last.lost(since: first, of: clip),
      disordered: last.disordered - first.disordered, gone: last.gone, sampled: samples.frames, altered: samples.altered,
      joinP50: joins.quantile(0.5) ?? 0, joinP99: joins.quantile(0.99) ?? 0, delayP50: samples.delays.quantile(0.5) ?? 0,
      delayP99: samples.delays.quantile(0.99) ?? 0,
      kilobytesPerViewer: window.kilobytes(since: alone, for: plan.count), residentMegabytes: window.residentMegabytes)
  }
}
