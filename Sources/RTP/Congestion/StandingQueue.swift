/// How long packets wait at the bottleneck: the least one-way delay of the last tenth of a second, less the least of the last
/// 20 s.
///
/// Jitter adds delay to single packets, so a minimum does not contain it. Only a queue that never empties raises the minimum.
/// The clocks of the two ends may differ; 20 s of their drift are a few milliseconds.
struct StandingQueue: Sendable {
  private static let slots: Int64 = 32
  private static let slotLength: Int64 = 640_000
  /// Two intervals make the current minimum, so that one is always complete.
  private static let interval: Int64 = 60_000
  private static let none = Int32.max

  /// The least delay of each slot, less `origin`.
  private var floors = SIMD32<Int32>(repeating: Self.none)
  private var floor = Self.none
  private var newest: Int64?
  private var origin: Int64 = 0
  private var current = Self.none
  private var previous = Self.none
  private var began: Int64 = 0
  /// The usual difference between two intervals.
  private var wander = 0.0

  /// The waiting time in microseconds; 0 before the first packet.
  var delay: Int64 {
    let least = min(current, previous)
    return least == Self.none || floor == Self.none ? 0 : Int64(least) - Int64(floor)
  }

  /// The part of `delay` in microseconds that is jitter, because it changes from one moment to the next.
  var noise: Int64 { Int64(max(0, wander - 4000) * 2.5) }

  /// Adds a packet that was sent and arrived at these times, each on its own clock.
  mutating func add(sent: Instant, arrival: Instant) {
    let slot = arrival.microseconds / Self.slotLength
    if newest == nil { start(slot: slot, sent: sent, arrival: arrival) }
    guard let last = newest else { return }
    guard let delay = Int32(exactly: (arrival - sent) &- origin), slot > last - Self.slots else {
      // A clock jumped.
      start(slot: slot, sent: sent, arrival: arrival)
      return
    }
    if slot > last { advance(from: last, to: slot) }
    let index = Self.index(slot)
    if delay < floors[index] { floors[index] = delay }
    if delay < floor { floor = delay }
    if arrival.microseconds - began >= Self.interval {
      if previous != Self.none, current != Self.none { wander += (Double(abs(current - previous)) - wander) / 32 }
      previous = arrival.microseconds - began >= 2 * Self.interval ? Self.none : current
      current = delay
      began = arrival.microseconds
    } else if delay < current {
      current = delay
    }
  }

  private mutating func start(slot: Int64, sent: Instant, arrival: Instant) {
    self = Self()
    newest = slot
    origin = arrival - sent
    began = arrival.microseconds
  }

  private mutating func advance(from last: Int64, to slot: Int64) {
    for passed in max(last + 1, slot - Self.slots + 1)...slot { floors[Self.index(passed)] = Self.none }
    newest = slot
    floor = Self.none
    for index in 0..<Int(Self.slots) { floor = min(floor, floors[index]) }
  }

  private static func index(_ slot: Int64) -> Int { Int(slot & (slots - 1)) }
}
