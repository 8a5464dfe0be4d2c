/// The abs-send-time extension: 24 bits of seconds in 6.18 fixed point, which wrap every 64 s.
public struct AbsSendTime: Hashable, Sendable {
  /// The value on the wire: 0 … 2²⁴−1.
  public var rawValue: UInt32

  /// Creates a send time from its 24-bit value; higher bits are dropped.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue & 0xff_ffff }

  /// Creates the send time of a packet that is sent at `instant`. Only differences matter, so any clock is suitable.
  @inlinable public init(_ instant: Instant) {
    let time = UInt64(bitPattern: instant.microseconds)
    let seconds = time / 1_000_000
    rawValue = UInt32(truncatingIfNeeded: (seconds & 63) << 18 | ((time % 1_000_000) << 18) / 1_000_000)
  }

  /// Returns the microseconds from `other` to this time in the shorter direction: ±32 s.
  @inlinable public func microseconds(since other: AbsSendTime) -> Int64 {
    let ticks = Int32(bitPattern: (rawValue &- other.rawValue) << 8) >> 8
    return (Int64(ticks) * 1_000_000) >> 18
  }
}
