import RoomRTP

/// The timeline of one publish: maps the milliseconds of its messages, audio and video alike, to one time without jumps.
///
/// An encoder's clock may jump, for example after a restart. The media then continues after the elapsed time. Messages that
/// still carry times from before the jump are dropped.
struct IngestTimeline {
  /// The distance in µs from the newest message above which a time counts as a jump. It exceeds the burst of a stalled
  /// connection, and the time that audio and video may be apart.
  static let leap: UInt64 = 10_000_000

  private var unwrapper = TimestampUnwrapper()
  /// The start of this timeline on the encoder's; nil before the first message.
  private var start: MediaTime?
  /// The start before the last jump.
  private var former: MediaTime?
  private var newest = MediaTime.zero
  private var newestArrival = Instant(microseconds: 0)
  /// Microseconds since 1970.
  private var wallStart: Int64 = 0

  /// Returns the time since the first message; nil for a time from before a jump.
  /// - Parameter wall: microseconds since 1970.
  mutating func time(of milliseconds: UInt32, now: Instant, wall: Int64) -> MediaTime? {
    let raw = MediaTime(milliseconds: unwrapper.unwrap(milliseconds))
    guard let start else {
      self.start = raw
      wallStart = wall
      newestArrival = now
      return .zero
    }
    let time = raw.relative(to: start)
    if (time - newest).magnitude > Self.leap {
      if let former, (raw.relative(to: former) - newest).magnitude <= Self.leap { return nil }
      self.former = start
      newest = newest.advanced(microseconds: max(1000, now - newestArrival))
      newestArrival = now
      self.start = MediaTime(microseconds: raw - newest)
      return newest
    }
    if time > newest {
      newest = time
      newestArrival = now
    }
    return time
  }

  /// Returns the NTP time for sender reports: one clock for audio and video.
  func ntp(at time: MediaTime) -> NTPTime { NTPTime(unixMicroseconds: wallStart &+ time.microseconds) }
}
