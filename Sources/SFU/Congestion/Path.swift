import RoomRTP

/// The path to one subscriber: what it carries, and how much may be sent now.
///
/// It exists from the subscriber's first feedback on. Its memory does not move, so the packet path can refer to it.
struct Path {
  /// The target of a new path in bits per second. Nothing is paused for it: only a queue or loss shows a limit.
  private static let start = 2_500_000
  private static let bounds = (minimum: 100_000, maximum: 50_000_000)

  private(set) var estimator: PathEstimator
  private(set) var sent = SentRing()
  private(set) var repairs = RepairBudget()
  private(set) var pace = PaceBudget()
  /// What was sent again.
  var repairRate = RateMeter()
  private(set) var probe: Probe?
  private var probeEnd = Instant(microseconds: 0)
  /// The bytes of the probe that are still to be sent.
  private(set) var probeBytes = 0
  private(set) var hasFeedback = false

  /// Whether video waits for its turn, because the path carries hardly more than what is sent.
  var isPaced = false
  /// Whether a video does not fit, and is not paused yet.
  var isOvercommitted = false
  /// Until when a paused video is tried: it is sent as it comes, so that it shows what the path carries.
  var trialEnd = Instant(microseconds: 0)
  /// Whether the transport is in the list of those that are served each few milliseconds.
  var isServed = false
  /// The next subscription to serve, so that none waits for the others.
  var nextSubscription: Int32 = -1
  /// The bitrate of all that could be sent, and of what is allotted, in bits per second.
  var wanted = 0
  var allotted = 0
  var nextAllocation = Instant(microseconds: 0)
  /// The target at the last allocation.
  var allocatedTarget = 0

  init() { estimator = PathEstimator(.init(start: Self.start, minimum: Self.bounds.minimum, maximum: Self.bounds.maximum)) }

  func free() { sent.free() }

  /// Whether the path has shown that it carries no more than its target: a queue that lasted, loss that a lower rate reduces, or
  /// an estimate of the subscriber's own. A busy receiver delays packets too, but for a moment only.
  var hasLimit: Bool { hasShownLimit || estimator.isCapped }
  private var hasShownLimit = false
  private var queueSince: Instant?
  private var roomSince: Instant?
  /// Time in microseconds for which a queue must last, and for which there must be ample room until the limit is forgotten.
  private static let lasting: Int64 = 250_000
  private static let forgetting: Int64 = 10_000_000

  /// The bitrate in bits per second to divide.
  var divided: Int { hasLimit ? estimator.target : max(estimator.target, Self.start) }

  private mutating func judge(_ cutBefore: Instant?, now: Instant) {
    let isQueue = estimator.state == .draining
    queueSince = isQueue ? queueSince ?? now : nil
    let isLoss = estimator.state == .growing && estimator.lastCut != cutBefore
    if isLoss || queueSince.map({ now - $0 >= Self.lasting }) ?? false { hasShownLimit = true }
    roomSince = estimator.target > 2 * wanted ? roomSince ?? now : nil
    if let since = roomSince, now - since >= Self.forgetting { hasShownLimit = false }
  }

  /// Records a packet that is sent now, repairs and padding included. Part of the packet path: allocates nothing.
  @inline(__always) mutating func record(_ sequence: UInt16, size: Int, at now: Instant) {
    let id = probe?.id ?? 0
    sent.record(sequence, size: size, probe: id, at: now)
    estimator.sent(probe: id, at: now)
    pace.spend(size)
    if id != 0 { probeBytes -= size }
  }

  /// Takes transport-wide feedback. Returns whether a limit appeared, or its target fell by more than a
  /// twentieth.
  mutating func take(_ feedback: TransportFeedback, roundTrip: Int64?, now: Instant) -> Bool {
    hasFeedback = true
    let (before, cut) = (estimator.target, estimator.lastCut)
    sent.take(feedback, probe: probe?.id ?? lastProbe, now: now) { estimator.take($0) }
    estimator.update(roundTrip: roundTrip, now: now)
    let hadLimit = hasLimit
    judge(cut, now: now)
    return hasLimit && (!hadLimit || estimator.target * 20 < before * 19)
  }

  /// Takes a receiver report, which counts if there is no transport-wide feedback.
  mutating func report(fractionLost: UInt8, roundTrip: Int64?, now: Instant) -> Bool {
    guard !hasFeedback else { return false }
    let (before, cut) = (estimator.target, estimator.lastCut)
    estimator.report(fractionLost: Double(fractionLost) / 256, roundTrip: roundTrip, now: now)
    let hadLimit = hasLimit
    judge(cut, now: now)
    return hasLimit && (!hadLimit || estimator.target * 20 < before * 19)
  }

  /// Limits the target to the subscriber's own estimate (REMB) in bits per second.
  mutating func limit(to bitrate: UInt64) { estimator.limit(to: bitrate) }

  mutating func advance(to now: Instant) { estimator.advance(to: now) }

  // MARK: Probing

  private var lastProbe: UInt8 = 0

  /// Begins a probe if one is due. Returns whether it did.
  mutating func beginProbe(now: Instant) -> Bool {
    guard probe == nil else { return false }
    estimator.wanted = wanted
    guard let next = estimator.nextProbe(now: now) else { return false }
    probe = next
    lastProbe = next.id
    probeBytes = next.bytes
    probeEnd = now.advanced(microseconds: next.duration)
    return true
  }

  /// Returns the bytes of padding that the probe wants now: its even share of the time, less the media that was sent.
  func padding(at now: Instant) -> Int {
    guard let probe else { return 0 }
    let left = max(0, probeEnd - now)
    let planned = probe.bytes - Int(Int64(probe.bytes) * left / max(1, probe.duration))
    return planned - (probe.bytes - probeBytes)
  }

  /// Ends the probe once its time is over.
  mutating func endProbe(now: Instant) {
    if probe != nil, now >= probeEnd { probe = nil }
  }

  // MARK: Budgets

  /// Returns whether a lost packet of this size may be sent again.
  mutating func allowsRepair(bytes: Int, now: Instant) -> Bool {
    guard !hasLimit || repairs.allows(bytes: bytes, target: estimator.target, now: now) else { return false }
    repairRate.add(bytes: bytes)
    return true
  }

  mutating func refillPace(now: Instant) {
    let factor = estimator.state == .growing && !isOvercommitted ? PaceBudget.growing : PaceBudget.draining
    pace.refill(bitsPerSecond: Int(Double(estimator.target) * factor), now: now)
  }
}

/// Limits retransmissions to a quarter of the target, so that a full path does not get fuller by them.
struct RepairBudget {
  /// The time in microseconds over which the budget is averaged.
  private static let window: Int64 = 200_000
  private static let share = 4
  /// Three full packets, so that a thin path is repaired too.
  private static let least = 4500

  private var bytes = Self.least
  private var filled: Instant?

  mutating func allows(bytes count: Int, target: Int, now: Instant) -> Bool {
    let perSecond = target / 8 / Self.share
    let capacity = max(Self.least, perSecond * Int(Self.window) / 1_000_000)
    let elapsed = min(max(0, now - (filled ?? now)), 1_000_000)
    bytes = min(capacity, bytes + perSecond * Int(elapsed) / 1_000_000)
    filled = now
    guard bytes >= count else { return false }
    bytes -= count
    return true
  }
}

/// The bytes that a paced path may send now. Audio, repairs and reports do not wait, but use the budget.
struct PaceBudget {
  /// The share of the target at which video is sent: more, so that a key frame does not take long; less while a queue drains or
  /// more video waits than fits.
  static let growing = 1.1
  static let draining = 0.95
  /// The longest burst in microseconds.
  private static let burst: Int64 = 12_000
  private static let leastBurst = 1500
  /// The longest debt in microseconds, so that video does not wait long after a burst.
  private static let debt: Int64 = 500_000

  private(set) var bytes = 0
  private var filled: Instant?
  /// Bits that did not make a byte yet.
  private var rest: Int64 = 0

  @inline(__always) mutating func spend(_ count: Int) { bytes &-= count }

  mutating func refill(bitsPerSecond: Int, now: Instant) {
    let elapsed = min(max(0, now - (filled ?? now)), 1_000_000)
    filled = now
    let earned = Int64(bitsPerSecond) * elapsed + rest
    rest = earned % 8_000_000
    let most = max(Self.leastBurst, Int(Int64(bitsPerSecond) * Self.burst / 8_000_000))
    let least = -Int(Int64(bitsPerSecond) * Self.debt / 8_000_000)
    bytes = min(most, max(least, bytes) + Int(earned / 8_000_000))
  }
}
