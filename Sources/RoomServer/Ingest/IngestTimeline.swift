import RTP

/// The time of one publish: the milliseconds of its messages, audio and video alike, as one timeline that continues without leaps.
///
/// An encoder's clock may leap, when it begins anew or has lost its mind; the media then goes on by the time that has passed. What
/// still comes with the times of before is of no use.
struct IngestTimeline {
  /// Microseconds; what is further from the newest message is a leap. Longer than a stalled connection's burst, and than the time that
  /// audio and video may be apart.
  static let leap: UInt64 = 10_000_000

  private var unwrapper = TimestampUnwrapper()
  /// Where on the encoder's timeline this one starts; nil before the first message.
  private var start: MediaTime?
  /// The same, before the last leap.
  private var former: MediaTime?
  private var newest = MediaTime.zero
  private var newestArrival = Instant(microseconds: 0)
  /// Microseconds since 1970.
  private var wallStart: Int64 = 0

  /// The time since the first message; nil for one of before a leap.
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

  /// What sender reports call a moment: on one line for audio and video.
  func ntp(at time: MediaTime) -> NTPTime { NTPTime(unixMicroseconds: wallStart &+ time.microseconds) }
}
