/// A point on the monotonic clock, in microseconds. Callers pass it to every protocol; no protocol reads a clock.
public struct Instant: Comparable, Hashable, Sendable {
  /// Microseconds since the epoch of the caller's clock.
  public var microseconds: Int64

  /// Creates the instant this many microseconds after the epoch.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Returns the microseconds from `b` to `a`.
  @inlinable public static func - (a: Self, b: Self) -> Int64 { a.microseconds &- b.microseconds }
  /// Returns the instant this many microseconds later.
  @inlinable public func advanced(microseconds: Int64) -> Self { Self(microseconds: self.microseconds &+ microseconds) }
  /// Returns the instant this many milliseconds later.
  @inlinable public func advanced(milliseconds: Int64) -> Self { Self(microseconds: microseconds &+ milliseconds &* 1000) }
}
