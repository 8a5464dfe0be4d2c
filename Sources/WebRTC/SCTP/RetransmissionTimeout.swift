/// The retransmission timeout of RFC 9260 §6.3.1, in microseconds.
struct RetransmissionTimeout {
  private(set) var value: Int64
  private(set) var smoothedRoundTrip: Int64?
  private var variation: Int64 = 0
  private let shortest: Int64
  private let longest: Int64

  init(_ configuration: SCTPConfiguration) {
    value = configuration.initialTimeout
    shortest = configuration.shortestTimeout
    longest = configuration.longestTimeout
  }

  mutating func measured(_ roundTrip: Int64) {
    guard roundTrip >= 0, roundTrip <= 3_600_000_000 else { return }
    if let smoothed = smoothedRoundTrip {
      variation = (3 * variation + abs(smoothed - roundTrip)) / 4
      smoothedRoundTrip = (7 * smoothed + roundTrip) / 8
    } else {
      smoothedRoundTrip = roundTrip
      variation = roundTrip / 2
    }
    value = min(longest, max(shortest, (smoothedRoundTrip ?? 0) + 4 * variation))
  }

  mutating func expired() { value = min(longest, value * 2) }
}
