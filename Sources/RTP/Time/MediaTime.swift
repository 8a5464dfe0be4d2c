/// The time at which a picture or a sample is decoded or presented: a point on a media timeline, in microseconds since its start.
///
/// A stream, a file and a recording have each their own timeline. That of a server's programs is the media clock, which runs with the
/// monotonic clock (``Instant/mediaTime``).
@frozen public struct MediaTime: Comparable, Hashable, Sendable {
  /// Since the timeline's start; negative before it.
  public var microseconds: Int64

  /// The point so many microseconds after the start.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// The point so many milliseconds after the start, as RTMP and FLV count.
  @inlinable public init(milliseconds: Int64) { microseconds = milliseconds &* 1000 }

  /// The point so many ticks after the start, as RTP and MP4 count: rounded towards zero.
  /// - Parameter rate: ticks a second; at least 1.
  @inlinable public init(ticks: Int64, rate: Int64) {
    // Whole seconds and the rest apart: no overflow, and exact if the rate divides a million.
    microseconds = ticks / rate &* 1_000_000 &+ ticks % rate &* 1_000_000 / rate
  }

  /// The timeline's start.
  public static let zero = Self(microseconds: 0)

  /// Milliseconds since the start, rounded towards zero.
  @inlinable public var milliseconds: Int64 { microseconds / 1000 }

  /// Ticks since the start, rounded towards zero.
  /// - Parameter rate: ticks a second; at least 1.
  @inlinable public func ticks(rate: Int64) -> Int64 {
    microseconds / 1_000_000 &* rate &+ microseconds % 1_000_000 &* rate / 1_000_000
  }

  /// Ticks since the start, modulo 2³²: an RTP timestamp whose offset is 0.
  /// - Parameter rate: ticks a second; at least 1.
  @inlinable public func rtpTimestamp(rate: Int64) -> UInt32 { UInt32(truncatingIfNeeded: ticks(rate: rate)) }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Microseconds from `b` to `a`.
  @inlinable public static func - (a: Self, b: Self) -> Int64 { a.microseconds &- b.microseconds }
  /// Milliseconds since another point, rounded towards zero.
  @inlinable public func milliseconds(since other: Self) -> Int64 { (self - other) / 1000 }
  /// The same point on a timeline that starts at `start`.
  @inlinable public func relative(to start: Self) -> Self { Self(microseconds: self - start) }
  /// The point so many microseconds later.
  @inlinable public func advanced(microseconds: Int64) -> Self { Self(microseconds: self.microseconds &+ microseconds) }
  /// The point so many milliseconds later.
  @inlinable public func advanced(milliseconds: Int64) -> Self { Self(microseconds: microseconds &+ milliseconds &* 1000) }
}

extension Instant {
  /// What the media clock shows at this moment.
  @inlinable public var mediaTime: MediaTime { MediaTime(microseconds: microseconds) }
}
