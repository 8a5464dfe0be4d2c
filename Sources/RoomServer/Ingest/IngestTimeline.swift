import RTP

/// The time of one publish: the milliseconds of its messages, audio and video alike, as microseconds that go on without leaps.
///
/// An encoder's clock may leap, when it begins anew or has lost its mind; the media then goes on by the time that has passed. What
/// still comes with the times of before is of no use.
struct IngestTimeline {
  /// Microseconds; what is further from the newest message is a leap. Longer than a stalled connection's burst, and than the time that
  /// audio and video may be apart.
  static let leap: UInt64 = 10_000_000

  private var unwrapper = TimestampUnwrapper()
  /// What leads from the encoder's time to this one; nil before the first message.
  private var offset: Int64?
  /// The same, before the last leap.
  private var former: Int64?
  private var newest: Int64 = 0
  private var newestArrival = Instant(microseconds: 0)
  private var wallStart: Int64 = 0

  /// Microseconds since the first message; nil for one of before a leap.
  /// - Parameter wall: microseconds since 1970.
  mutating func time(of milliseconds: UInt32, now: Instant, wall: Int64) -> Int64? {
    let raw = unwrapper.unwrap(milliseconds) &* 1000
    guard let offset else {
      self.offset = 0 &- raw
      wallStart = wall
      newestArrival = now
      return 0
    }
    let time = raw &+ offset
    if (time &- newest).magnitude > Self.leap {
      if let former, (raw &+ former &- newest).magnitude <= Self.leap { return nil }
      self.former = offset
      newest = newest &+ max(1000, now - newestArrival)
      newestArrival = now
      self.offset = newest &- raw
      return newest
    }
    if time > newest {
      newest = time
      newestArrival = now
    }
    return time
  }

  /// What sender reports call a moment: on one line for audio and video.
  func ntp(at time: Int64) -> NTPTime { NTPTime(unixMicroseconds: wallStart &+ time) }
}
