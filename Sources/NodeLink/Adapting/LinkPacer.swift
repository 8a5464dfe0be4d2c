import RoomRTP

/// The bytes that may be sent now on a link with a limit. What may not wait is spent all the same, and video waits longer.
struct LinkPacer {
  /// Microseconds of the bitrate that may be sent at once, and that may be owed.
  private static let burst: Int64 = 4_000
  private static let longestDebt: Int64 = 200_000
  private static let shortestWait: Int64 = 500

  private var rate = 0
  private var tokens = 0
  private var filled = Instant(microseconds: 0)

  /// Sets the bitrate in bits per second.
  mutating func set(_ rate: Int, now: Instant) {
    fill(now)
    self.rate = rate
  }

  private mutating func fill(_ now: Instant) {
    let elapsed = min(max(0, now - filled), 1_000_000)
    filled = now
    tokens = min(tokens &+ bytes(in: elapsed), max(LinkDatagram.longest, bytes(in: Self.burst)))
  }

  private func bytes(in time: Int64) -> Int { Int(Int64(min(rate, 20_000_000_000)) &* time / 8_000_000) }

  mutating func isOpen(_ now: Instant) -> Bool {
    fill(now)
    return tokens > 0
  }

  mutating func spend(_ bytes: Int) {
    tokens = max(tokens &- bytes, -max(2 * LinkDatagram.longest, self.bytes(in: Self.longestDebt)))
  }

  /// When it is open again.
  var opensAt: Instant {
    guard tokens <= 0 else { return filled }
    let wait = Int64(1 - tokens) * 8_000_000 / Int64(max(1, rate)) + 1
    return filled.advanced(microseconds: max(wait, Self.shortestWait))
  }
}
