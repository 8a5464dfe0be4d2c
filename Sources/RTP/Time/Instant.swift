/// A point on the monotonic clock, in microseconds. Handed into every protocol by its caller; no protocol reads a clock.
public struct Instant: Comparable, Hashable, Sendable {
  /// Since whatever epoch the caller's clock has.
  public var microseconds: Int64

  /// So many microseconds after the epoch.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Microseconds from `b` to `a`.
  @inlinable public static func - (a: Self, b: Self) -> Int64 { a.microseconds &- b.microseconds }
  /// The point so many microseconds later.
  @inlinable public func advanced(microseconds: Int64) -> Self { Self(microseconds: self.microseconds &+ microseconds) }
  /// The point so many milliseconds later.
  @inlinable public func advanced(milliseconds: Int64) -> Self { Self(microseconds: microseconds &+ milliseconds &* 1000) }
}
