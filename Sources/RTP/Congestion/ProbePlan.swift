/// A cluster of packets to send faster than the target, to find out whether the path carries more.
public struct Probe: Sendable, Hashable {
  /// Marks the packets of the probe, media and padding; 1…255.
  public var id: UInt8
  /// The bitrate of the cluster in bits per second.
  public var bitrate: Int
  /// The duration of the cluster in microseconds.
  public var duration: Int64

  /// The bytes of the cluster, media included.
  public var bytes: Int { Int(Int64(bitrate) * duration / 8_000_000) }
}

/// What a probe proved.
public enum ProbeResult: Sendable, Hashable {
  /// The path carries this many bits per second, perhaps more.
  case carries(Double)
  /// The path carries just this many bits per second.
  case limited(Double)
}

/// Decides when to probe and what a probe proved. One probe is out at a time.
///
/// A probe that finds no capacity delays the next one: 3 s, and half more each time, up to 30 s. Bursts of media that pass the
/// bottleneck fast bring it forward.
struct ProbePlan: Sendable {
  static let duration: Int64 = 40_000
  private static let firstDelay: Int64 = 150_000
  private static let patience = 3_000_000.0
  private static let longestPatience = 30_000_000.0
  private static let hintPatience = 1_000_000.0
  /// The pause after a cut in microseconds.
  private static let calm: Int64 = 1_000_000
  /// The time in microseconds for which the path would have to send padding alone in 10 s.
  private static let budget = 500_000.0
  private static let leastRaise = 200_000.0
  /// The loss in a cluster that is not taken for a full queue: so short a cluster fills none.
  private static let harmlessLoss = 0.25

  private struct Cluster: Sendable {
    var probe: Probe
    var began: Instant
    var sentPackets = 0
    var reportedPackets = 0
    var arrivedPackets = 0
    var sentBytes = 0
    var arrivedBytes = 0
    var firstBytes = 0
    var firstSent: Instant?
    var lastSent = Instant(microseconds: 0)
    var lastBytes = 0
    var firstArrival = Instant(microseconds: 0)
    var lastArrival = Instant(microseconds: 0)
  }

  private var began: Instant?
  private var cluster: Cluster?
  private var nextID: UInt8 = 1
  private var failures = 0
  private var hintFailures = 0
  private var isHinted = false
  private var lastEnd: Instant?
  private var hasSucceeded = false
  private var raised: Instant?
  /// The padding of the last 10 s, in microseconds of the target.
  private var spent = 0.0
  private var decayed: Instant?

  var isOut: Bool { cluster != nil }
  /// Whether the queue of a probe may still stand.
  func isSettling(_ now: Instant) -> Bool { cluster != nil || lastEnd.map { now - $0 < 500_000 } ?? false }

  /// Returns a probe to send now.
  /// - Parameters:
  ///   - wanted: the bitrate that could be used, in bits per second.
  ///   - hint: the capacity that bursts of media show.
  mutating func next(target: Double, wanted: Double, hint: Double?, lastCut: Instant?, now: Instant) -> Probe? {
    let start = began ?? now
    began = start
    if let time = raised, now - time >= 3_000_000 {
      raised = nil
      failures = 0
      hintFailures = 0
    }
    decay(now)
    guard cluster == nil, wanted > target * 1.05, lastCut.map({ now - $0 >= Self.calm }) ?? true, spent < Self.budget else {
      return nil
    }
    guard isDue(target: target, hint: hint, start: start, now: now) else { return nil }
    let factor = lastEnd == nil ? 3.0 : 2.0
    let rate = min(max(target * factor, target + Self.leastRaise), wanted * 1.2)
    let probe = Probe(id: nextID, bitrate: Int(rate), duration: Self.duration)
    nextID = nextID == 255 ? 1 : nextID + 1
    cluster = Cluster(probe: probe, began: now)
    spent += Double(Self.duration) * (rate / target - 1)
    return probe
  }

  private mutating func isDue(target: Double, hint: Double?, start: Instant, now: Instant) -> Bool {
    isHinted = false
    guard let last = lastEnd else { return now - start >= Self.firstDelay }
    if hasSucceeded { return now - last >= 250_000 }
    if now - last >= Int64(min(Self.patience * power(1.5, failures), Self.longestPatience)) { return true }
    if let hint, hint > target * 1.3, now - last >= Int64(min(Self.hintPatience * power(2, hintFailures), Self.longestPatience))
    {
      isHinted = true
      return true
    }
    return false
  }

  private func power(_ base: Double, _ exponent: Int) -> Double {
    var product = 1.0
    for _ in 0..<min(exponent, 20) { product *= base }
    return product
  }

  mutating func sent(_ id: UInt8) {
    if cluster?.probe.id == id { cluster?.sentPackets += 1 }
  }

  mutating func add(_ outcome: PacketOutcome) {
    guard var open = cluster, open.probe.id == outcome.probe else { return }
    open.reportedPackets += 1
    open.sentBytes += outcome.size
    if let arrival = outcome.arrival {
      if open.firstSent == nil {
        open.firstSent = outcome.sent
        open.firstBytes = outcome.size
        open.firstArrival = arrival
      }
      open.arrivedPackets += 1
      open.arrivedBytes += outcome.size
      open.lastSent = outcome.sent
      open.lastBytes = outcome.size
      open.lastArrival = max(open.lastArrival, arrival)
    }
    cluster = open
  }

  /// Returns what the probe proved, once all its packets are reported; nil if none is finished or it proved nothing.
  mutating func conclude(loss: Double, roundTrip: Int64, now: Instant) -> ProbeResult? {
    guard let open = cluster else { return nil }
    let age = now - open.began
    let isWhole = age >= open.probe.duration + 5000 && open.reportedPackets >= open.sentPackets
    guard isWhole || age > open.probe.duration + 2 * roundTrip + 500_000 else { return nil }
    cluster = nil
    let result = measure(open, loss: loss, isFirst: lastEnd == nil)
    lastEnd = now
    if case .carries = result {
      hasSucceeded = true
      raised = now
    } else {
      hasSucceeded = false
      if isHinted { hintFailures += 1 }
      failures += 1
    }
    return result
  }

  private func measure(_ cluster: Cluster, loss: Double, isFirst: Bool) -> ProbeResult? {
    guard let first = cluster.firstSent, cluster.arrivedPackets >= 5, cluster.arrivedPackets * 2 >= cluster.sentPackets else {
      return nil
    }
    let sendTime = Double(max(cluster.lastSent - first, 1))
    let arrivalTime = Double(max(cluster.lastArrival - cluster.firstArrival, 1))
    guard sendTime > Double(cluster.probe.duration) / 2 else { return nil }
    // Random loss thins the cluster equally everywhere. The first cluster may meet it before it has been measured.
    let own = isFirst ? 1 - Double(cluster.arrivedPackets) / Double(max(1, cluster.sentPackets)) : 0
    let share = 1 - min(max(loss, min(own, Self.harmlessLoss)), 0.6)
    let sent = Double((cluster.sentBytes - cluster.lastBytes) * 8) * 1_000_000 / sendTime
    let arrived = Double((cluster.arrivedBytes - cluster.firstBytes) * 8) * 1_000_000 / arrivalTime / share
    return arrived >= sent * 0.9 ? .carries(min(sent, arrived)) : .limited(arrived * 0.9)
  }

  /// Records that the rate was cut. Soon after a raise, the raise was wrong: others use the path, too.
  mutating func cut(now: Instant) {
    hasSucceeded = false
    guard let raised, now - raised < 3_000_000 else { return }
    self.raised = nil
    failures += 2
    hintFailures += 2
  }

  private mutating func decay(_ now: Instant) {
    let since = decayed ?? now
    guard decayed == nil || now - since >= 1_000_000 else { return }
    spent *= 0.9
    decayed = now
  }
}
