/// The target bitrate: it grows until a queue stands at the bottleneck, falls below what the bottleneck delivers until that
/// queue is empty, and resumes just below the capacity that it saw.
struct RateControl: Sendable {
  /// The path as the last feedback shows it.
  struct View: Sendable {
    /// The waiting time at the bottleneck in microseconds.
    var queue: Int64
    /// The part of it in microseconds that does not come from the rate: jitter, or a probe.
    var tolerance: Int64
    /// The bitrate of arrivals over half a second; nil before the first of them.
    var delivered: Double?
    /// The bitrate of arrivals over 200 ms: the capacity while a queue stands.
    var capacity: Double?
    /// The share of lost packets, 0…1.
    var loss: Double
    /// The packets lost in this feedback.
    var lost: Int
    /// When the newest reported packet was sent.
    var newestSent: Instant
    var roundTrip: Int64
  }

  /// The waiting time in microseconds that means that more is sent than the bottleneck carries.
  static let longQueue: Int64 = 35_000
  /// The waiting time below which a queue counts as empty: the bursts of single pictures need as much.
  static let shortQueue: Int64 = 15_000
  /// A cut leaves room to drain the queue in about this time, in microseconds.
  private static let drainTime = 700_000.0
  private static let leastFactor = 0.5
  private static let mostFactor = 0.85
  /// What arrives proves at most a target of this factor more.
  private static let provenFactor = 1.5
  /// What arrives beyond this factor of the target shows that the target is too low.
  private static let surpassed = 1.25
  /// The share of the measured capacity at which sending resumes after a drain.
  private static let resumeFactor = 0.9
  /// The bits of an additive step, one packet; the response time is a round trip and this long.
  private static let step = 9600.0
  private static let responseTime: Int64 = 100_000
  /// The time in microseconds for which cuts must not make the queue shorter if less is sent than the target.
  private static let vainTime: Int64 = 1_200_000
  /// The longest competition in microseconds before cuts show again whether the queue is that of others.
  private static let competition: Int64 = 10_000_000

  /// The time in microseconds for which others are expected to return: one vain cut then proves them.
  private static let memory: Int64 = 30_000_000

  /// The round trips that growth in competition follows: a deep queue would slow it down, and CUBIC does not wait either.
  private static let shortestRoundTrip: Int64 = 50_000
  private static let longestRoundTrip: Int64 = 250_000

  private enum Phase: Sendable {
    case growing
    /// The queue was `queue` when the rate was cut; what was sent from `since` on shows the effect.
    case draining(since: Instant, queue: Int64)
    /// Others fill the queue, whatever is sent here: compete with them as TCP does, until the queue is empty or this time.
    case competing(until: Instant)
  }

  let bounds: ClosedRange<Double>
  private(set) var target: Double
  /// The capacity when a queue stood last; nil if it is unknown or surpassed.
  private(set) var ceiling: Double?
  private(set) var lastCut: Instant?
  private var phase = Phase.growing
  private var lastGrowth: Instant?
  /// The target before the last cut, before the first cut since the queue was empty, before an experiment, and before silence.
  private var beforeCut = 0.0
  private var beforeDrain = 0.0
  /// What arrived when the rate was cut first since the queue was empty.
  private var firstCapacity = 0.0
  private var beforeTrial: Double?
  private var beforeSilence: Double?
  /// The cuts since the queue was empty that did not make it shorter, and the time of the first of them.
  private var vainCuts = 0
  private var vainSince: Instant?
  private var leftCompetition: Instant?
  /// Whether the others who fill the queue may be connections of another kind. Flows of one sender all yield instead.
  var mayCompete = true

  init(start: Double, bounds: ClosedRange<Double>) {
    self.bounds = bounds
    target = min(max(start, bounds.lowerBound), bounds.upperBound)
  }

  var isDraining: Bool { if case .draining = phase { true } else { false } }
  var isCompeting: Bool { if case .competing = phase { true } else { false } }
  /// Whether a queue drains that may turn out to be that of others.
  var mayYieldInVain: Bool { isDraining && mayCompete }

  /// Updates the target by what the last feedback shows.
  mutating func update(_ view: View, now: Instant) {
    switch phase {
    case .growing:
      if view.queue > Self.longQueue + view.tolerance {
        cut(view, now: now)
      } else if view.queue < Self.longQueue / 2 + view.tolerance {
        grow(view, now: now)
      } else {
        lastGrowth = now
      }
    case .draining(let since, let queue):
      lastGrowth = now
      drain(view, since: since, queue: queue, now: now)
    case .competing(let until):
      compete(view, now: now)
      if view.queue <= Self.shortQueue + view.tolerance || now >= until {
        phase = .growing
        leftCompetition = now
        forgetVainCuts()
      }
    }
  }

  private mutating func cut(_ view: View, now: Instant) {
    let capacity = view.capacity ?? target
    beforeCut = target
    if case .growing = phase { (beforeDrain, firstCapacity) = (target, capacity) }
    ceiling = capacity
    set(min(target, capacity) * Self.factor(queue: view.queue))
    phase = .draining(since: now, queue: view.queue)
    lastCut = now
    beforeTrial = nil
  }

  private mutating func drain(_ view: View, since: Instant, queue: Int64, now: Instant) {
    if view.queue <= Self.shortQueue + view.tolerance {
      set(resumed)
      phase = .growing
      forgetVainCuts()
      return
    }
    // A full bottleneck delivers its capacity, whatever is sent. The first measurement may contain a pause.
    if let capacity = view.capacity, view.newestSent <= since {
      ceiling = capacity
      set(min(beforeCut, capacity) * Self.factor(queue: view.queue))
      phase = .draining(since: since, queue: max(queue, view.queue))
      return
    }
    guard view.newestSent - since > 200_000 + view.roundTrip / 2 else { return }
    if view.queue < queue - queue / 8 {
      phase = .draining(since: now, queue: view.queue)
      vainSince = nil
      return
    }
    // The queue stands although all that is sent passes: others fill it. A sender in steps, as a server is, sends less than its
    // target, so it needs more time to be sure.
    if let capacity = view.capacity, capacity < target * 1.25 {
      if capacity > target * 0.75 { vainCuts += 1 }
      vainSince = vainSince ?? now
    }
    let isKnown = leftCompetition.map { now - $0 < Self.memory } ?? false
    let isVain = vainCuts > (isKnown ? 0 : 2) || vainSince.map { now - $0 > Self.vainTime } ?? false
    if isVain, mayCompete {
      ceiling = nil
      // What arrived before the others came shows what a fair share may be.
      set(max(target, isKnown ? beforeDrain * 0.7 : min(beforeDrain, firstCapacity) * 0.5))
      phase = .competing(until: now.advanced(microseconds: Self.competition))
    } else {
      cut(view, now: now)
    }
  }

  /// Grows by a packet each round trip, and falls once a round trip if packets are lost.
  private mutating func compete(_ view: View, now: Instant) {
    let elapsed = min(Double(now - (lastGrowth ?? now)) / 1_000_000, 1)
    lastGrowth = now
    let roundTrip = Double(min(max(view.roundTrip, Self.shortestRoundTrip), Self.longestRoundTrip)) / 1_000_000
    if view.lost > 0, lastCut.map({ now - $0 > view.roundTrip }) ?? true {
      lastCut = now
      set(target * 0.7)
    } else if target < (view.delivered ?? 0) * Self.provenFactor {
      set(target + elapsed * Self.step / (roundTrip * roundTrip))
    }
  }

  /// The target once the queue is empty, if what is known now holds.
  var resumed: Double {
    guard isDraining, let ceiling else { return target }
    return max(target, min(ceiling, beforeDrain) * Self.resumeFactor)
  }

  private mutating func forgetVainCuts() {
    vainCuts = 0
    vainSince = nil
  }

  private static func factor(queue: Int64) -> Double {
    min(max(1 - Double(queue) / drainTime, leastFactor), mostFactor)
  }

  private mutating func grow(_ view: View, now: Instant) {
    let elapsed = min(Double(now - (lastGrowth ?? now)) / 1_000_000, 1)
    lastGrowth = now
    // A source that sends below its target proves little.
    let proven =
      view.delivered.map { max($0 / (1 - min(view.loss, 0.6)) * Self.provenFactor + 10_000, bounds.lowerBound) } ?? .infinity
    // Nothing waits although more arrives than the target: the sender could not be held to it, and the path carries it.
    if let delivered = view.delivered, delivered > target * Self.surpassed, view.queue <= Self.shortQueue + view.tolerance {
      ceiling = nil
      return set(delivered)
    }
    guard target < proven else { return }
    if let known = ceiling, target > known * 1.1 { ceiling = nil }
    let grown: Double
    if ceiling != nil, target > (ceiling ?? 0) * 0.85 {
      grown = target + elapsed * min(Self.step / (Double(view.roundTrip + Self.responseTime) / 1_000_000), target * 0.08)
    } else {
      grown = target * (1 + 0.08 * elapsed) + 1000 * elapsed
    }
    set(min(grown, proven))
  }

  /// Applies what the losses say.
  mutating func take(_ verdict: LossJudge.Verdict, _ view: View, now: Instant) {
    switch verdict {
    case .harmless: break
    case .measure: lastGrowth = now
    case .tryCut:
      beforeTrial = target
      set(target * (1 - LossJudge.cut))
    case .undoCut:
      if let before = beforeTrial { set(max(target, before)) }
      beforeTrial = nil
    case .tooMuch(let share):
      ceiling = (beforeTrial ?? target) * (1 - share)
      set(min(target, ceiling ?? target))
      beforeTrial = nil
      lastCut = now
    case .congestion:
      beforeTrial = nil
      guard lastCut.map({ now - $0 > view.roundTrip + 300_000 }) ?? true else { return }
      lastCut = now
      set(target * (1 - 0.5 * view.loss))
    }
  }

  /// Takes the result of a probe.
  mutating func raise(to rate: Double, isCapacity: Bool, now: Instant) {
    guard case .growing = phase, rate > target else { return }
    ceiling = isCapacity ? rate : nil
    set(rate)
    lastGrowth = now
  }

  /// Lowers the target to a measured capacity.
  mutating func lower(to capacity: Double) {
    guard capacity < target else { return }
    ceiling = capacity
    set(capacity)
  }

  /// Sets the target to the share of a bottleneck that several flows of one sender use (RFC 8699). A queue that drains comes first.
  mutating func follow(share: Double) {
    if case .growing = phase { set(share) }
  }

  /// Halves the target, because the far end is silent.
  mutating func halve(now: Instant) {
    if beforeSilence == nil { beforeSilence = target }
    set(target / 2)
    lastCut = now
    lastGrowth = now
  }

  /// Resumes at half of the target before the silence.
  mutating func resume() {
    if let before = beforeSilence { set(max(target, before / 2)) }
    beforeSilence = nil
  }

  private mutating func set(_ rate: Double) { target = min(max(rate, bounds.lowerBound), bounds.upperBound) }
}
