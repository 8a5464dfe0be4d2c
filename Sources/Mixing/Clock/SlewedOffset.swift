import RTP

/// The distance between two clocks, which follows what is measured without ever leaping by little: heard and seen, a slow drift is
/// nothing and a leap is a stutter.
struct SlewedOffset: Sendable {
  /// Microseconds.
  private(set) var value: Int64?
  /// Microseconds a second that the value may move: more than clocks differ by, less than anybody hears.
  let rate: Int64
  private var movedAt = Instant(microseconds: 0)

  init(rate: Int64) { self.rate = rate }

  /// Takes the target at once.
  mutating func set(_ target: Int64, at now: Instant) {
    value = target
    movedAt = now
  }

  /// Moves towards the target as far as the time since the last call allows.
  mutating func approach(_ target: Int64, at now: Instant) {
    guard let current = value else { return set(target, at: now) }
    let elapsed = max(0, min(now - movedAt, 10_000_000))
    let step = elapsed * rate / 1_000_000
    // Too little time for a step of a microsecond: wait for more.
    guard step > 0 else { return }
    movedAt = now
    value = current + min(max(target &- current, -step), step)
  }
}
