/// The time at which a picture or a sample is decoded or presented: a point on a media timeline, in microseconds since its
/// start.
///
/// Every stream, file and recording has its own timeline. The timeline of a server's programs is the media clock, which runs
/// with the monotonic clock (``Instant/mediaTime``).
@frozen public struct MediaTime: Comparable, Hashable, Sendable {
  /// Microseconds since the start of the timeline; negative before it.
  public var microseconds: Int64

  /// Creates the time this many microseconds after the start.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates the time this many milliseconds after the start, the unit of RTMP and FLV.
  @inlinable public init(milliseconds: Int64) { microseconds = milliseconds &* 1000 }

  /// Creates the time this many ticks after the start, the unit of RTP and MP4, rounded towards zero.
  /// - Parameter rate: ticks per second; at least 1.
  @inlinable public init(ticks: Int64, rate: Int64) {
    // Whole seconds and the remainder are computed separately: no overflow, and exact if the rate divides a million.
    microseconds = ticks / rate &* 1_000_000 &+ ticks % rate &* 1_000_000 / rate
  }

  /// The start of the timeline.
  public static let zero = Self(microseconds: 0)

  /// Milliseconds since the start, rounded towards zero.
  @inlinable public var milliseconds: Int64 { microseconds / 1000 }

  /// Returns the ticks since the start, rounded towards zero.
  /// - Parameter rate: ticks per second; at least 1.
  @inlinable public func ticks(rate: Int64) -> Int64 {
    microseconds / 1_000_000 &* rate &+ microseconds % 1_000_000 &* rate / 1_000_000
  }

  /// Returns the ticks since the start, modulo 2³²: an RTP timestamp with offset 0.
  /// - Parameter rate: ticks per second; at least 1.
  @inlinable public func rtpTimestamp(rate: Int64) -> UInt32 { UInt32(truncatingIfNeeded: ticks(rate: rate)) }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Returns the microseconds from `b` to `a`.
  @inlinable public static func - (a: Self, b: Self) -> Int64 { a.microseconds &- b.microseconds }
  /// Returns the milliseconds since another time, rounded towards zero.
  @inlinable public func milliseconds(since other: Self) -> Int64 { (self - other) / 1000 }
  /// Returns the same point on a timeline that starts at `start`.
  @inlinable public func relative(to start: Self) -> Self { Self(microseconds: self - start) }
  /// Returns the time this many microseconds later.
  @inlinable public func advanced(microseconds: Int64) -> Self { Self(microseconds: self.microseconds &+ microseconds) }
  /// Returns the time this many milliseconds later.
  @inlinable public func advanced(milliseconds: Int64) -> Self { Self(microseconds: microseconds &+ milliseconds &* 1000) }
}

extension Instant {
  /// The time of the media clock at this instant.
  @inlinable public var mediaTime: MediaTime { MediaTime(microseconds: microseconds) }
}
