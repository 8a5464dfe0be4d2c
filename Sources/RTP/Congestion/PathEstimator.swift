/// Estimates the bitrate that a path carries, from the outcomes of single packets (transport-wide feedback,
/// draft-holmer-rmcat-transport-wide-cc-extensions-01) or, if there are none, from receiver reports.
///
/// The estimator is a value without heap memory, clock or I/O, for clients and for each subscriber of a server:
/// - `sent` for each packet, `take` for each outcome, then `update` once for each feedback packet;
/// - `advance` at `deadline`;
/// - `nextProbe` after `update`: what to send above the target.
///
/// Parts: `StandingQueue` measures how long packets wait at the bottleneck, `DeliveryRate` what it delivers, `LossJudge` decides
/// whether loss is congestion, `RateControl` sets the target, `ProbePlan` looks for more.
public struct PathEstimator: Sendable {
  public struct Configuration: Sendable, Hashable {
    /// The initial target in bits per second.
    public var start: Int
    public var minimum: Int
    public var maximum: Int

    public init(start: Int = 1_500_000, minimum: Int = 100_000, maximum: Int = 10_000_000) {
      self.minimum = max(10_000, minimum)
      self.maximum = max(self.minimum, maximum)
      self.start = min(max(start, self.minimum), self.maximum)
    }
  }

  /// What the estimate does.
  public enum State: Sendable, Hashable {
    case growing
    /// A queue stands at the bottleneck; the target is below its capacity until it is empty.
    case draining
    /// The far end sends no feedback.
    case silent
  }

  public private(set) var state = State.growing
  /// The bitrate in bits per second that could be sent. If nil, what is sent shows it: a sender far below its target wants no
  /// more.
  public var wanted: Int?

  /// The waiting time in microseconds that means that more is sent than the bottleneck carries.
  public static let longQueue = RateControl.longQueue
  /// The waiting time in microseconds behind which loss is congestion.
  private static let standing: Int64 = 60_000
  /// The queue that a probe may leave.
  private static let probeQueue: Int64 = 25_000
  /// The time without feedback, besides three round trips, that is silence, and the time until the next reaction.
  private static let patience: Int64 = 500_000
  private static let silence: Int64 = 1_000_000

  private let configuration: Configuration
  private var control: RateControl
  private var queue = StandingQueue()
  private var delivery = DeliveryRate()
  private var bursts = BurstCapacity()
  private var judge = LossJudge()
  private var probes = ProbePlan()
  private var cap: Double?
  private var roundTrip: Int64 = 100_000
  private var newestSent = Instant(microseconds: 0)
  /// When a packet was sent last.
  public private(set) var lastSent = Instant(microseconds: 0)
  private var hasFeedback = false
  /// The packets lost in the current feedback.
  private var lost = 0
  /// When the oldest packet without feedback was sent, or the last reaction to silence.
  private var unansweredSince: Instant?

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    control = RateControl(
      start: Double(configuration.start), bounds: Double(configuration.minimum)...Double(configuration.maximum))
  }

  /// The bitrate in bits per second that may be sent, everything included.
  public var target: Int { bounded(control.target) }
  /// The bitrate in bits per second to plan for: while a queue drains, the target that follows.
  public var sustainable: Int { bounded(control.resumed) }

  private func bounded(_ rate: Double) -> Int { Int(max(min(rate, cap ?? .infinity), Double(configuration.minimum))) }

  /// Whether the far end sent its own estimate (REMB).
  public var isCapped: Bool { cap != nil }
  /// When the target was lowered last, for a queue, loss or silence; nil if never.
  public var lastCut: Instant? { control.lastCut }
  /// Whether others fill the queue of the bottleneck. The target then grows only with what is sent, so a sender that wants more
  /// fills up to the target with padding.
  public var isCompeting: Bool { control.isCompeting }
  /// Whether a queue drains that may turn out to be that of others.
  public var mayYieldInVain: Bool { control.mayYieldInVain }
  /// Whether a queue that no cut makes shorter is taken for that of others. A sender with several flows to one receiver says no:
  /// they would compete with each other.
  public var mayCompete: Bool {
    get { control.mayCompete }
    set { control.mayCompete = newValue }
  }
  /// What the last probe proved; nil before the first that proved something.
  public private(set) var probed: ProbeResult?
  /// The share of lost packets, 0…1, smoothed over about a second.
  public var loss: Double { judge.loss }
  /// The bitrate of arrivals in bits per second; nil before the first feedback.
  public var deliveryRate: Int? { delivery.bitsPerSecond.map { Int($0) } }
  /// How long packets wait at the bottleneck, in microseconds.
  public var queueDelay: Int64 { queue.delay }

  /// Records a packet that was sent. `probe` is the identifier of the probe that it belongs to.
  public mutating func sent(probe: UInt8 = 0, at now: Instant) {
    lastSent = now
    if unansweredSince == nil { unansweredSince = now }
    if probe != 0 { probes.sent(probe) }
  }

  /// Takes the outcome of one packet, in sending order.
  public mutating func take(_ outcome: PacketOutcome) {
    if outcome.probe != 0 { probes.add(outcome) }
    if outcome.sent > newestSent { newestSent = outcome.sent }
    // What a path loses while it is interrupted says nothing about its rate.
    if outcome.arrival == nil, state == .silent { return }
    judge.add(outcome)
    guard let arrival = outcome.arrival else {
      lost += 1
      return
    }
    queue.add(sent: outcome.sent, arrival: arrival)
    delivery.add(bytes: outcome.size, at: arrival)
    if outcome.probe == 0 {
      bursts.add(bytes: outcome.size, sent: outcome.sent, arrival: arrival, target: control.target)
    }
  }

  /// Updates the estimate after the outcomes of a feedback packet. `roundTrip` is in microseconds.
  public mutating func update(roundTrip measured: Int64?, now: Instant) {
    hasFeedback = true
    unansweredSince = nil
    if state == .silent { control.resume() }
    if let measured { roundTrip = Self.plausible(measured) }
    decide(now)
    if let result = probes.conclude(loss: judge.loss, roundTrip: roundTrip, now: now) {
      probed = result
      switch result {
      case .carries(let rate): control.raise(to: rate, isCapacity: false, now: now)
      case .limited(let rate): control.raise(to: rate, isCapacity: true, now: now)
      }
      bursts.clear()
    }
  }

  /// Updates the estimate by a receiver report. Does nothing once there is transport-wide feedback.
  /// - Parameters:
  ///   - share: the share of packets lost since the last report, 0…1.
  ///   - roundTrip: in microseconds; its growth is the queue.
  public mutating func report(fractionLost share: Double, roundTrip measured: Int64?, now: Instant) {
    guard !hasFeedback else { return }
    judge.report(share)
    if let measured {
      roundTrip = Self.plausible(measured)
      newestSent = now.advanced(microseconds: -roundTrip)
      queue.add(sent: newestSent, arrival: now)
    }
    decide(now)
  }

  /// The far end's reports may contain any round trip.
  private static func plausible(_ roundTrip: Int64) -> Int64 { min(max(roundTrip, 1000), 5_000_000) }

  private mutating func decide(_ now: Instant) {
    let view = RateControl.View(
      queue: queue.delay, tolerance: queue.noise + (probes.isSettling(now) ? Self.probeQueue : 0),
      delivered: delivery.bitsPerSecond, capacity: delivery.capacity, loss: judge.loss, lost: lost, newestSent: newestSent,
      roundTrip: roundTrip)
    lost = 0
    let lastCut = control.lastCut
    control.take(judge.judge(isQueueStanding: view.queue > Self.standing, now: now), view, now: now)
    control.update(view, now: now)
    if control.lastCut != lastCut { probes.cut(now: now) }
    state = control.isDraining ? .draining : .growing
  }

  /// Returns a probe to send now; nil if none is due.
  public mutating func nextProbe(now: Instant) -> Probe? {
    // The first probe matters more than a measurement of loss.
    guard state == .growing, !judge.isMeasuring || probed == nil, queue.delay < RateControl.longQueue / 2 + queue.noise else {
      return nil
    }
    var possible = min(Double(configuration.maximum), cap ?? .infinity)
    if let wanted {
      possible = min(possible, Double(wanted))
    } else {
      guard let delivered = delivery.bitsPerSecond, delivered > control.target * (1 - judge.loss) * 0.75 else { return nil }
    }
    return probes.next(
      target: control.target, wanted: possible, hint: bursts.bitsPerSecond, lastCut: control.lastCut, now: now)
  }

  /// Lowers the target to what a probe proved, in bits per second: for a sender whose first target was a guess.
  public mutating func lower(to bitrate: Int) { control.lower(to: Double(bitrate)) }

  /// Sets the target to the share in bits per second of a bottleneck that several flows of one sender use, unless a queue drains.
  public mutating func follow(share: Int) {
    if state == .growing { control.follow(share: Double(share)) }
  }

  /// Limits the target to the far end's own estimate (REMB), in bits per second.
  public mutating func limit(to bitrate: UInt64) { cap = Double(bitrate) }

  /// The time at which to call `advance`; nil if nothing is due.
  public var deadline: Instant? {
    guard hasFeedback, let since = unansweredSince else { return nil }
    return since.advanced(microseconds: state == .silent ? Self.silence : 3 * roundTrip + Self.patience)
  }

  /// Reacts to silence of the far end.
  public mutating func advance(to now: Instant) {
    guard let deadline, now >= deadline else { return }
    // The last packet before a pause may be lost, and nothing after it reveals that.
    guard now - lastSent < Self.patience else {
      unansweredSince = nil
      return
    }
    control.halve(now: now)
    state = .silent
    unansweredSince = now
  }
}
