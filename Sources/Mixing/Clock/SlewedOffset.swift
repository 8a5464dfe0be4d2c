import RoomRTP

/// The offset between two clocks. The offset follows measurements slowly instead of making small jumps, because slow drift is
/// imperceptible and a jump is a stutter.
struct SlewedOffset: Sendable {
  /// The offset in µs.
  private(set) var value: Int64?
  /// How fast the value may move in µs per second: more than clocks drift, less than is audible.
  let rate: Int64
  private var movedAt = Instant(microseconds: 0)

  init(rate: Int64) { self.rate = rate }

  /// Sets the value at once.
  mutating func set(_ target: Int64, at now: Instant) {
    value = target
    movedAt = now
  }

  /// Moves the value towards the target as far as the elapsed time allows.
  mutating func approach(_ target: Int64, at now: Instant) {
    guard let current = value else { return set(target, at: now) }
    let elapsed = max(0, min(now - movedAt, 10_000_000))
    let step = elapsed * rate / 1_000_000
    // Not enough time for a step of 1 µs: wait for more.
    guard step > 0 else { return }
    movedAt = now
    value = current + min(max(target &- current, -step), step)
  }
}
