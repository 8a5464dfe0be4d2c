import RoomRTP

/// Detects packets with increasing delay: the slope of the one-way delay over the last groups of packets (the "trendline"
/// filter of draft-ietf-rmcat-gcc-02 §5), compared to a threshold that follows the path's own jitter.
struct DelayTrend: Sendable {
  enum State: Sendable, Hashable {
    case normal
    /// The queue is growing.
    case overuse
    /// The queue is draining: wait until it is empty.
    case underuse
  }

  private(set) var state = State.normal

  /// Packets sent within 5 ms of each other form a group; only whole groups are compared.
  private struct Group {
    var firstSent: Instant
    var lastSent: Instant
    var lastArrival: Instant
  }

  private static let groupLength: Int64 = 5000
  private static let window = 20

  private var current: Group?
  private var previous: Group?
  /// (arrival in ms since the first, smoothed accumulated delay in ms)
  private var samples: [(x: Double, y: Double)] = []
  private var origin: Instant?
  private var accumulated = 0.0
  private var smoothed = 0.0
  private var count = 0
  private var threshold = 12.5
  private var lastUpdate: Instant?
  private var overusedSince: Instant?
  private var lastSlope = 0.0

  mutating func add(sent: Instant, arrival: Instant) {
    guard var group = current else {
      current = Group(firstSent: sent, lastSent: sent, lastArrival: arrival)
      return
    }
    if sent < group.firstSent { return }  // Reordered into an older group.
    if sent - group.firstSent <= Self.groupLength {
      group.lastSent = max(group.lastSent, sent)
      group.lastArrival = max(group.lastArrival, arrival)
      current = group
      return
    }
    if let previous { compare(group, with: previous) }
    previous = group
    current = Group(firstSent: sent, lastSent: sent, lastArrival: arrival)
  }

  private mutating func compare(_ group: Group, with previous: Group) {
    let sendDelta = group.lastSent - previous.lastSent
    let arrivalDelta = group.lastArrival - previous.lastArrival
    // A clock jump or a pause of the source carries no information about the queue.
    guard arrivalDelta > -1_000_000, arrivalDelta < 3_000_000 else {
      restart()
      return
    }
    let delta = Double(arrivalDelta - sendDelta) / 1000
    let start = origin ?? group.lastArrival
    origin = start
    count = min(count + 1, 60)
    accumulated += delta
    smoothed = 0.9 * smoothed + 0.1 * accumulated
    samples.append((Double(group.lastArrival - start) / 1000, smoothed))
    if samples.count > Self.window { samples.removeFirst() }
    guard samples.count == Self.window else { return }
    judge(slope: slope, now: group.lastArrival, spacing: Double(sendDelta) / 1000)
  }

  private var slope: Double {
    let n = Double(samples.count)
    let meanX = samples.reduce(0) { $0 + $1.x } / n
    let meanY = samples.reduce(0) { $0 + $1.y } / n
    var above = 0.0
    var below = 0.0
    for (x, y) in samples {
      above += (x - meanX) * (y - meanY)
      below += (x - meanX) * (x - meanX)
    }
    return below > 0 ? above / below : 0
  }

  private mutating func judge(slope: Double, now: Instant, spacing: Double) {
    let modified = Double(count) * slope * 4
    if modified > threshold {
      let since = overusedSince ?? now
      overusedSince = since
      // One bad group may be chance: the queue must have grown for 10 ms and still grow.
      if now - since >= 10_000, slope >= lastSlope { state = .overuse }
    } else {
      overusedSince = nil
      state = modified < -threshold ? .underuse : .normal
    }
    lastSlope = slope
    adapt(to: abs(modified), now: now)
  }

  /// Raises the threshold fast towards the noise of a jittery path and lowers it slowly; ignores a single spike.
  private mutating func adapt(to size: Double, now: Instant) {
    let elapsed = min(Double(now - (lastUpdate ?? now)) / 1000, 100)
    lastUpdate = now
    guard size < threshold + 15 else { return }
    let gain = size < threshold ? 0.039 : 0.0087
    threshold = min(max(threshold + gain * (size - threshold) * elapsed, 6), 600)
  }

  private mutating func restart() {
    samples.removeAll(keepingCapacity: true)
    origin = nil
    accumulated = 0
    smoothed = 0
    count = 0
    overusedSince = nil
    lastUpdate = nil
    state = .normal
  }
}
