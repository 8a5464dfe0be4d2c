import RoomRTP

/// What the path to the other node carries. It has no limit until a queue stands at a bottleneck, or much is lost for long; and
/// again once there was ample room for some time.
struct LinkPath {
  /// In bits per second.
  private static let bounds = (minimum: 100_000, maximum: 10_000_000_000)
  /// Microseconds for which a queue must stand, or loss must last.
  private static let queueTime: Int64 = 100_000
  private static let lossTime: Int64 = 1_500_000
  private static let muchLoss = 0.1
  /// What a bottleneck without a queue loses: in so many periods of so many microseconds in a row. An outage of 300 ms is over sooner.
  private static let heavyLoss = 0.3
  private static let heavyPeriods = 3
  private static let period: Int64 = 250_000
  private static let leastDatagrams = 10
  /// The bytes of repairs that one report may have.
  private static let mostRepaired = 1 << 20
  /// Microseconds of ample room after which the limit is forgotten, and what ample is: percents of the bitrate that is wanted.
  private static let forgetting: Int64 = 10_000_000
  private static let ample = 125

  private var estimator = PathEstimator(.init(start: bounds.maximum, minimum: bounds.minimum, maximum: bounds.maximum))
  private var probe = CapacityProbe()
  private(set) var isLimited = false
  private var queueSince: Instant?
  private var lossSince: Instant?
  private var roomSince: Instant?
  private var recent = (lost: 0, total: 0, heavy: 0, since: Instant(microseconds: 0))
  /// The first time of the other node's clock, less this one's: only differences matter.
  private var clockOffset: UInt32?
  /// The newest datagram that arrived.
  private var newest: PacketOutcome?

  /// The bitrate in bits per second at which to send now, padding included.
  var paceRate: Int { probe.rate ?? estimator.target }
  /// The bitrate in bits per second to plan for.
  var sustainable: Int { estimator.sustainable }
  /// The part of the datagrams that is lost, 0…1.
  var loss: Double { estimator.loss }
  /// Whether a probe needs padding now.
  var isProbing: Bool { probe.rate != nil }
  var paddingBytes: Int { probe.paddingBytes }

  /// Records a datagram of records that is sent for the first time.
  mutating func sent(_ number: UInt64, at now: Instant) {
    estimator.sent(at: now)
    if isLimited { probe.sent(number) }
  }

  /// Takes the outcome of a datagram, in the order of the numbers.
  /// - Parameter stamp: the arrival on the other node's clock; nil if the datagram did not arrive in time.
  mutating func take(_ number: UInt64, sent: Instant, bytes: Int, arrival stamp: UInt32?, now: Instant) {
    var arrival: Instant?
    if let stamp {
      let offset = clockOffset ?? stamp &- now.stamp
      clockOffset = offset
      arrival = now.advanced(microseconds: Int64(Int32(bitPattern: stamp &- now.stamp &- offset)))
    }
    let outcome = PacketOutcome(sent: sent, size: bytes, arrival: arrival)
    estimator.take(outcome)
    recent.total += 1
    if arrival != nil { newest = outcome } else { recent.lost += 1 }
    if isLimited { probe.take(number, sent: sent, bytes: bytes, arrival: arrival) }
  }

  /// Takes the bytes of repairs that arrived about when the newest datagram did: the path carried them, too.
  mutating func takeRepaired(_ bytes: Int) {
    guard bytes > 0, var outcome = newest else { return }
    outcome.size = min(bytes, Self.mostRepaired)
    estimator.take(outcome)
  }

  /// Updates the estimate after some outcomes.
  /// - Parameters:
  ///   - demand: the bits per second of all that is wanted.
  ///   - isHolding: whether something is held back.
  mutating func update(roundTrip: Int64?, demand: Int, isHolding: Bool, now: Instant) {
    let cut = estimator.lastCut
    estimator.update(roundTrip: roundTrip, now: now)
    if !isLimited {
      judge(now)
    } else if let rate = probe.conclude(loss: estimator.loss, now: now), rate > Double(estimator.target) {
      estimator.follow(share: Int(rate))
    }
    if estimator.lastCut != cut { probe.cut(now) }
    guard isLimited else { return }
    let isAmple = !isHolding && estimator.target > demand / 100 * Self.ample && estimator.state == .growing
    roomSince = isAmple && estimator.lastCut == cut ? roomSince ?? now : nil
    if let since = roomSince, now - since >= Self.forgetting {
      isLimited = false
      (queueSince, lossSince, roomSince) = (nil, nil, nil)
      // The next limit is measured anew.
      estimator.follow(share: Self.bounds.maximum)
    } else if estimator.state == .growing, estimator.queueDelay < PathEstimator.longQueue / 2,
      estimator.target < demand / 100 * (Self.ample + 10)
    {
      probe.beginIfDue(target: estimator.target, wanted: demand / 100 * (Self.ample + 25), now: now)
    }
  }

  private mutating func judge(_ now: Instant) {
    queueSince = estimator.state == .draining ? queueSince ?? now : nil
    lossSince = estimator.loss > Self.muchLoss ? lossSince ?? now : nil
    if now - recent.since >= Self.period, recent.total >= Self.leastDatagrams {
      let isHeavy = Double(recent.lost) > Self.heavyLoss * Double(recent.total)
      recent = (0, 0, isHeavy ? recent.heavy + 1 : 0, now)
    }
    if let since = queueSince, now - since >= Self.queueTime {
      isLimited = true
    } else if recent.heavy >= Self.heavyPeriods, let delivered = estimator.deliveryRate {
      estimator.lower(to: delivered)
      isLimited = true
    } else if let since = lossSince, now - since >= Self.lossTime, let delivered = estimator.deliveryRate {
      // From here on the target is what is sent, so that the estimator's cuts show whether the rate causes the loss.
      estimator.lower(to: Int(Double(delivered) / (1 - min(estimator.loss, 0.6))))
      isLimited = true
    }
    guard isLimited else { return }
    recent.heavy = 0
    probe = CapacityProbe(now: now)
  }

  /// When ``advance(to:)`` has something to do; nil if nothing is due.
  var deadline: Instant? { isLimited ? [estimator.deadline, probe.end].compactMap { $0 }.min() : nil }

  mutating func advance(to now: Instant) {
    guard isLimited else { return }
    estimator.advance(to: now)
    probe.advance(to: now)
  }
}
