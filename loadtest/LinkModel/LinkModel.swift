import RoomRTP

/// One direction of a link in virtual time: returns for each packet when, and if, it arrives.
///
/// The random outcome of the n-th packet depends only on the seed and n: every packet consumes the same number of random
/// numbers, whatever happens to it. A run with other conditions therefore loses the same packets.
public struct LinkModel: Sendable {
  /// The outcome of a packet.
  public enum Fate: Sendable, Hashable {
    case arrives(Instant)
    /// The arrival of the packet and of a copy of it.
    case arrivesTwice(Instant, Instant)
    /// Lost at random.
    case lost
    /// Dropped because the link's queue was full.
    case overflowed
  }

  /// Can be changed at any time; packets already on the link keep their fate.
  public var conditions: LinkConditions
  private var random: SeededGenerator
  private var bursts: BurstLoss
  /// When the link has transmitted all queued packets.
  private var freeAt = Instant(microseconds: .min)
  /// Arrival time of the last packet that keeps the order.
  private var lastArrival = Instant(microseconds: .min)

  public init(_ conditions: LinkConditions, seed: UInt64) {
    self.conditions = conditions
    random = SeededGenerator(seed: seed)
    bursts = BurstLoss(seed: seed)
  }

  /// Returns how long a packet that is sent at `now` waits until the link has transmitted those before it, in microseconds.
  public func wait(at now: Instant) -> Int64 { freeAt > now ? freeAt - now : 0 }

  /// Sends a packet of `bytes` bytes over the link. `now` must not decrease.
  public mutating func send(bytes: Int, at now: Instant) -> Fate {
    let chance = (
      loss: random.fraction(), jitter: random.fraction(), reorder: random.fraction(), duplication: random.fraction()
    )
    let isInBurst = bursts.next(loss: conditions.loss, length: conditions.burst)
    guard conditions.burst > 1 ? !isInBurst : chance.loss >= conditions.loss else { return .lost }

    var sent = now
    if let rate = conditions.rate, rate > 0 {
      let start = max(now, freeAt)
      let waiting = Double(start - now) * Double(rate) / 8_000_000
      guard waiting + Double(bytes) <= Double(conditions.queue) else { return .overflowed }
      sent = start.advanced(microseconds: Int64(Double(bytes) * 8_000_000 / Double(rate)))
      freeAt = sent
    }

    let wander = Int64(chance.jitter * Double(max(0, conditions.jitter)))
    var arrival = max(lastArrival, sent.advanced(microseconds: max(0, conditions.delay) + wander))
    if chance.reorder < conditions.reorder {
      arrival = arrival.advanced(microseconds: max(0, conditions.reorderDelay))
    } else {
      lastArrival = arrival
    }
    guard chance.duplication < conditions.duplication else { return .arrives(arrival) }
    return .arrivesTwice(arrival, arrival.advanced(milliseconds: 1))
  }
}
