/// A 64-bit NTP timestamp in seconds, 32.32 fixed point (RFC 3550 §4). Any epoch is valid, because the far end only compares.
public struct NTPTime: Hashable, Sendable {
  /// The seconds in the upper 32 bits, their fraction in the lower 32.
  public var rawValue: UInt64

  /// Creates the time with these bits.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates an NTP time from the monotonic clock. This suffices for reports, which do not need the wall clock (RFC 3550 §4).
  @inlinable public init(_ instant: Instant) {
    let time = UInt64(bitPattern: instant.microseconds)
    self.init(rawValue: (time / 1_000_000) << 32 | ((time % 1_000_000) << 32) / 1_000_000)
  }

  /// Creates an NTP time from the wall clock: microseconds since 1970.
  @inlinable public init(unixMicroseconds: Int64) {
    self.init(Instant(microseconds: unixMicroseconds &+ 2_208_988_800_000_000))
  }

  /// The middle 32 bits, 16.16 seconds, as used by LSR (RFC 3550 §6.4.1).
  @inlinable public var compact: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

  /// Microseconds since the epoch of this time.
  @inlinable public var microseconds: Int64 {
    Int64(bitPattern: (rawValue >> 32) &* 1_000_000 &+ ((rawValue & 0xffff_ffff) &* 1_000_000) >> 32)
  }
}
