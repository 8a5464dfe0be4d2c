import RoomRTP

/// Datagrams that are sent faster than the target for a moment, to find out whether the path carries more: padding fills up what
/// the streams leave. One probe is out at a time.
///
/// A link has few probes to lose: what its viewers get after a bottleneck is gone depends on them. So the pause between two that
/// find nothing stays short, and a probe costs a hundredth of the path.
struct CapacityProbe {
  /// Microseconds that a probe lasts, and until it counts as over though outcomes are missing. At the limit of the path, the queue of so
  /// short a probe is not taken for congestion.
  private static let duration: Int64 = 25_000
  private static let patience: Int64 = 700_000
  /// Microseconds between two probes: after one that found more, after one that did not, and after a cut.
  private static let successPause: Int64 = 200_000
  private static let failurePause: Int64 = 3_000_000
  private static let calm: Int64 = 1_500_000
  /// A short probe passes through a shaper that lets bursts pass. So a long one confirms it, of which the second half counts; each that
  /// fails doubles the pause, since that one fills the queue.
  private static let longDuration: Int64 = 200_000
  private static let mostDoublings = 2
  private static let factor = 2
  private static let leastRaise = 300_000
  private static let leastArrivals = 5
  /// The datagrams of a probe of padding alone: fewer prove nothing.
  private static let datagrams = 8
  private static let shortestPadding = 100
  /// The part of the sent rate from which on the path carries all of it, and the part of a smaller one that may be used.
  private static let carried = 0.9

  private struct Cluster {
    var rate: Int
    var began: Instant
    var end: Instant
    var first: UInt64?
    var last: UInt64 = 0
    var taken = 0
    var count = 0
    var bytes = 0
    var firstBytes = 0
    var lastBytes = 0
    var firstSent: Instant?
    var lastSent = Instant(microseconds: 0)
    var firstArrival = Instant(microseconds: 0)
    var lastArrival = Instant(microseconds: 0)
    var isSending = true
    /// From when on datagrams count.
    var counts: Instant
    var isLong: Bool
  }

  private var cluster: Cluster?
  private var nextAt: Instant
  /// Long probes in a row that found nothing.
  private var failures = 0
  private var pause: Int64 { Self.failurePause << Int64(min(failures, Self.mostDoublings)) }

  init(now: Instant = Instant(microseconds: 0)) { nextAt = now.advanced(microseconds: Self.calm) }

  /// The bitrate while a probe is sent, in bits per second.
  var rate: Int? { cluster.flatMap { $0.isSending ? $0.rate : nil } }
  /// The length of a datagram's padding in bytes.
  var paddingBytes: Int {
    max(Self.shortestPadding, min((rate ?? 0) / Self.datagrams * Int(Self.duration) / 8_000_000, LinkDatagram.bodyBytes))
  }
  /// When the sending of a probe ends.
  var end: Instant? { cluster.flatMap { $0.isSending ? $0.end : nil } }

  mutating func beginIfDue(target: Int, wanted: Int, now: Instant) {
    guard cluster == nil, now >= nextAt else { return }
    let rate = min(max(target * Self.factor, target + Self.leastRaise), max(wanted, target + Self.leastRaise))
    begin(rate, isLong: false, now: now)
  }

  private mutating func begin(_ rate: Int, isLong: Bool, now: Instant) {
    let time = isLong ? Self.longDuration : Self.duration
    cluster = Cluster(
      rate: rate, began: now, end: now.advanced(microseconds: time),
      counts: isLong ? now.advanced(microseconds: time / 2) : now, isLong: isLong)
  }

  mutating func advance(to now: Instant) {
    if let end, now >= end { cluster?.isSending = false }
  }

  mutating func sent(_ number: UInt64) {
    guard var open = cluster, open.isSending else { return }
    if open.first == nil { open.first = number }
    open.last = number
    open.count += 1
    cluster = open
  }

  mutating func take(_ number: UInt64, sent: Instant, bytes: Int, arrival: Instant?) {
    guard var open = cluster, let first = open.first, number >= first, number <= open.last else { return }
    open.taken += 1
    if let arrival, sent >= open.counts {
      if open.firstSent == nil { (open.firstSent, open.firstArrival, open.firstBytes) = (sent, arrival, bytes) }
      open.bytes += bytes
      (open.lastSent, open.lastBytes) = (sent, bytes)
      open.lastArrival = max(open.lastArrival, arrival)
    }
    cluster = open
  }

  /// Returns the bitrate that a finished probe proved, in bits per second; nil if none is finished or it proved nothing.
  mutating func conclude(loss: Double, now: Instant) -> Double? {
    guard let open = cluster, !open.isSending else { return nil }
    guard open.taken >= open.count || now - open.end >= Self.patience else { return nil }
    cluster = nil
    guard let first = open.firstSent, open.taken >= Self.leastArrivals, open.lastSent > first else {
      nextAt = now.advanced(microseconds: pause)
      return nil
    }
    let share = 1 - min(loss, 0.6)
    let sent = Double((open.bytes - open.lastBytes) * 8) * 1_000_000 / Double(open.lastSent - first) / share
    let arrived =
      Double((open.bytes - open.firstBytes) * 8) * 1_000_000 / Double(max(open.lastArrival - open.firstArrival, 1)) / share
    let isCarried = arrived >= sent * Self.carried
    if isCarried, !open.isLong {
      begin(Int(min(sent, arrived)), isLong: true, now: now)
      return nil
    }
    if open.isLong { failures = isCarried ? 0 : failures + 1 }
    nextAt = now.advanced(microseconds: isCarried ? Self.successPause : pause)
    return isCarried ? min(sent, arrived) : arrived * Self.carried
  }

  /// Ends the probe, because the target was lowered.
  mutating func cut(_ now: Instant) {
    if cluster?.isLong ?? false { failures += 1 }
    cluster = nil
    nextAt = now.advanced(microseconds: failures > 0 ? pause : Self.calm)
  }
}
