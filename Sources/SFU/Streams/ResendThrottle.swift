import RoomRTP

/// Limits what one subscriber can make the worker send by NACKs: each packet about once per round trip
/// (`TransportSlot.resendInterval`: 20 to 250 ms), and a number of packets per second. The packets come from the track's ring of
/// 512 video or 64 audio packets (`PublishedTracks`).
struct ResendThrottle: BitwiseCopyable {
  private static let entries = 64
  static let packetsPerSecond = 600

  // Direct-mapped by sequence number. A packet that another one displaced may be sent early, but never above the rate limit.
  private var sequences: SIMD64<UInt16> = .zero
  private var times: SIMD64<UInt16> = .zero
  private var known: UInt64 = 0
  /// The entries that were sent once more.
  private var repeated: UInt64 = 0
  private var windowStart = Int64.min
  private var inWindow = 0

  /// Returns whether the packet may be sent again now, and records it.
  mutating func allows(_ sequence: UInt16, now: Instant, interval: Int64) -> Bool {
    let milliseconds = UInt16(truncatingIfNeeded: now.microseconds / 1000)
    let index = Int(sequence) & (Self.entries - 1)
    let bit = UInt64(1) << UInt64(index)
    if known & bit != 0, sequences[index] == sequence, Int64(milliseconds &- times[index]) &* 1000 < interval { return false }
    if windowStart == .min || now.microseconds &- windowStart >= 1_000_000 {
      windowStart = now.microseconds
      inWindow = 0
    }
    guard inWindow < Self.packetsPerSecond else { return false }
    inWindow += 1
    known |= bit
    repeated &= ~bit
    sequences[index] = sequence
    times[index] = milliseconds
    return true
  }

  /// Returns whether a packet that was allowed at this very time may be sent once more.
  mutating func allowsAgain(_ sequence: UInt16, now: Instant) -> Bool {
    let index = Int(sequence) & (Self.entries - 1)
    let bit = UInt64(1) << UInt64(index)
    guard known & ~repeated & bit != 0, sequences[index] == sequence,
      times[index] == UInt16(truncatingIfNeeded: now.microseconds / 1000), inWindow < Self.packetsPerSecond
    else { return false }
    inWindow += 1
    repeated |= bit
    return true
  }
}
