import RoomRTP

/// The path to one subscriber: what it carries, and how much may be sent now.
///
/// It exists from the first subscription with transport-wide numbers on, or from the first report. Its memory does not move, so
/// the packet path can refer to it.
struct Path {
  /// The target of a new path in bits per second. Nothing is paused for it: only a queue or loss shows a limit.
  private static let start = 2_500_000
  /// The same if the first video has layers: a small one comes first, until the first probe shows what the path carries.
  private static let lowStart = 600_000
  /// The longest time in microseconds until a connected path without a result of a probe counts as proven.
  private static let proving: Int64 = 2_000_000
  private static let bounds = (minimum: 60_000, maximum: 50_000_000)

  private(set) var estimator: PathEstimator
  private(set) var sent = SentRing()
  private var repairs = RepairBudget()
  private var audioRepairs = RepairBudget()
  var playoutDelay = PlayoutDelay()
  private(set) var pace = PaceBudget()
  /// What was sent again.
  var repairRate = RateMeter()
  private(set) var probe: Probe?
  private var probeEnd = Instant(microseconds: 0)
  /// The bytes of the probe that are still to be sent.
  private(set) var probeBytes = 0
  private var hasFeedback = false
  private var hasReports = false
  /// Whether the subscriber has reported something from which the path can be estimated.
  var hasEstimate: Bool { hasFeedback || hasReports || estimator.isCapped }
  /// Whether a first probe is awaited.
  var isProving: Bool { provenAt != nil }

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
  /// The bitrate of all that could be sent, in bits per second.
  var wanted = 0
  var nextAllocation = Instant(microseconds: 0)
  /// The bitrate of the audio without copies and repairs, in bits per second.
  var audio = 0
  /// The bitrate of the smallest steps of all video that is not paused, in bits per second.
  var leastVideo = 0
  /// The target at the last allocation.
  var allocatedTarget = 0

  init() { estimator = Self.estimator(start: Self.start) }

  private static func estimator(start: Int) -> PathEstimator {
    PathEstimator(.init(start: start, minimum: bounds.minimum, maximum: bounds.maximum))
  }

  /// Sends a small layer first, until a probe shows what the path carries. Needs a stream that can carry probes. Does nothing if
  /// the path has shown what it carries already. Returns whether it did something.
  mutating func startLow(now: Instant) -> Bool {
    guard !hasLimit, estimator.probed == nil, estimator.deliveryRate ?? 0 < Self.lowStart else { return false }
    estimator = Self.estimator(start: Self.lowStart)
    provenAt = now.advanced(microseconds: Self.proving)
    return true
  }

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

  /// When the path counts as proven without a probe; nil once it is.
  private var provenAt: Instant?

  /// Whether packets wait long or are lost now.
  var isCongested: Bool { estimator.queueDelay > Self.longQueue || estimator.loss > Self.muchLoss }
  private static let longQueue: Int64 = 100_000
  private static let muchLoss = 0.05
  private static let severeLoss = 0.2

  /// Whether a bottleneck whose capacity is known overflows: what does not fit has to stop at once.
  var isOverflowing: Bool { sharesLongQueue && estimator.loss > Self.severeLoss }
  private var sharesLongQueue: Bool { share != nil && estimator.queueDelay > Self.longQueue }

  /// Its part in bits per second of a bottleneck that other paths use too; nil if there is none.
  private(set) var share: Int?
  private var sharedProbe: ProbeResult?

  /// Follows the share of a bottleneck that others use too, or the path's own estimate again.
  mutating func follow(share: Int?) {
    self.share = share
    if let share { estimator.follow(share: share) }
  }

  /// The path as one of those that share a bottleneck.
  mutating func member(audio: [Int], video: Int) -> SharedBottleneck.Member {
    defer { sharedProbe = estimator.probed }
    var probed: Double?
    if sharedProbe != estimator.probed, case .carries(let rate) = estimator.probed { probed = rate }
    return .init(
      queue: estimator.queueDelay, delivered: estimator.deliveryRate ?? 0,
      target: estimator.state == .growing ? estimator.target : nil, probed: probed, audio: audio, video: video)
  }

  /// The bitrate in bits per second to divide.
  var divided: Int {
    if let share { return estimator.isCapped ? min(share, estimator.sustainable) : share }
    if hasLimit || isProving { return estimator.sustainable }
    return hasEstimate ? max(estimator.target, Self.start) : Self.bounds.maximum
  }

  /// Takes what the first probe proved, if any. Returns whether the path is proven by it.
  private mutating func prove() -> Bool {
    guard provenAt != nil, let result = estimator.probed else { return false }
    provenAt = nil
    if case .limited(let bitrate) = result {
      hasShownLimit = true
      estimator.lower(to: Int(bitrate))
    }
    return true
  }

  /// Lets the estimator take feedback. Returns whether a limit appeared, its target fell by more than a twentieth, or the path is
  /// proven now.
  private mutating func follow(_ now: Instant, _ feedback: (inout Self) -> Void) -> Bool {
    let (target, cut, hadLimit) = (estimator.sustainable, estimator.lastCut, hasLimit)
    feedback(&self)
    judge(cut, now: now)
    return prove() || hasLimit && (!hadLimit || estimator.sustainable * 20 < target * 19)
  }

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

  /// Takes transport-wide feedback. Returns whether the bitrate is to be divided again at once.
  mutating func take(_ feedback: TransportFeedback, roundTrip: Int64?, now: Instant) -> Bool {
    hasFeedback = true
    return follow(now) { path in
      path.sent.take(feedback, probe: path.probe?.id ?? path.lastProbe, now: now) { path.estimator.take($0) }
      path.estimator.update(roundTrip: roundTrip, now: now)
    }
  }

  /// Takes a receiver report, which counts if there is no transport-wide feedback. Returns as `take`.
  mutating func report(fractionLost: UInt8, roundTrip: Int64?, now: Instant) -> Bool {
    guard !hasFeedback else { return false }
    hasReports = true
    return follow(now) { $0.estimator.report(fractionLost: Double(fractionLost) / 256, roundTrip: roundTrip, now: now) }
  }

  /// Whether others who fill the queue may be connections of another kind.
  mutating func setCompetes(_ mayCompete: Bool) { estimator.mayCompete = mayCompete }

  /// Limits the target to the subscriber's own estimate (REMB) in bits per second.
  mutating func limit(to bitrate: UInt64) { estimator.limit(to: bitrate) }

  mutating func advance(to now: Instant, isConnected: Bool) {
    estimator.advance(to: now)
    sent.growIfTooSmall()
    guard let time = provenAt else { return }
    if !isConnected {
      provenAt = now.advanced(microseconds: Self.proving)
    } else if now >= time {
      provenAt = nil
      nextAllocation = now
    }
  }

  /// The share of packets that the path loses at any rate, 0…1; nil without feedback, and while losses may be those of a full
  /// queue, to which a lower rate is the answer.
  func loss(at now: Instant) -> Double? {
    guard hasFeedback, estimator.lastCut.map({ now - $0 >= Self.calm }) ?? true else { return nil }
    return estimator.loss
  }

  /// The time in microseconds after a cut in which losses may be those of a full queue.
  private static let calm: Int64 = 3_000_000

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

  /// Returns whether a lost packet of this size may be sent again. Audio has a budget of its own: half of its bitrate.
  mutating func allowsRepair(bytes: Int, isVideo: Bool, now: Instant) -> Bool {
    guard hasEstimate else { return true }
    // What is repeated now would be lost too, or arrive late.
    if sharesLongQueue { return false }
    // A path without a limit may lose much, and carry all repairs.
    let factor = hasLimit ? 1 : 2
    let isAllowed =
      isVideo
      ? repairs.allows(bytes: bytes, target: divided * factor, now: now)
      : audioRepairs.allows(bytes: bytes, target: 2 * audio * factor, now: now)
    if isAllowed { repairRate.add(bytes: bytes) }
    return isAllowed
  }

  /// The losses at which each repair is sent twice: one in ten lost repairs is a freeze otherwise. More is congestion.
  private static let lossyRepairs = 0.03..<0.35

  /// Whether repairs are sent twice.
  var doublesRepairs: Bool { Self.lossyRepairs.contains(estimator.loss) && estimator.state == .growing }

  /// Whether padding fills what video leaves of the target, so that the target can grow beside others who fill the queue.
  var isFilling: Bool { hasLimit && estimator.isCompeting && wanted > estimator.target }

  mutating func refillPace(now: Instant) {
    let factor = estimator.state == .growing && !isOvercommitted ? PaceBudget.growing : PaceBudget.draining
    // The smallest pictures pass until it is clear whether the queue is that of others: a video that does not fit is paused by then.
    let least = estimator.mayYieldInVain ? min(audio + leastVideo * 5 / 4, estimator.sustainable * 2 / 3) : 0
    pace.refill(bitsPerSecond: max(Int(Double(estimator.target) * factor), least), now: now)
  }
}
