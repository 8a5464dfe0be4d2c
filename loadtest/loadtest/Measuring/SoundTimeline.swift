import RTP

/// Follows a stream of sound by its packets' headers and tells how long its listener would have had nothing to hear.
///
/// The player that is assumed begins with the first packet and waits for nothing: when it has nothing to play it is silent until the
/// next packet comes, and is later by that from then on. So a gap is a real silence, and a packet that only trembles is none. What is
/// missing between packets, by number or by time, is silence too.
struct SoundTimeline: Sendable {
  /// Microseconds of a packet, of which ticks of 48 kHz are made.
  static let packet: Int64 = 20_000
  private static let ticksPerMillisecond: Int64 = 48

  private var times = TimestampUnwrapper()
  /// Ticks at which the next packet should begin.
  private var expected: Int64?
  /// When the player will have played all that it has.
  private var playedUntil: Instant?
  /// Microseconds of the longest gap since the last look.
  private(set) var longest: Int64 = 0
  /// Packets that came after their time, or twice.
  private(set) var late = 0

  /// Takes a packet.
  mutating func take(_ timestamp: UInt32, at now: Instant) {
    let time = times.unwrap(timestamp)
    defer { expected = max(expected ?? .min, time &+ Self.packet * Self.ticksPerMillisecond / 1000) }
    guard let playedUntil else {
      self.playedUntil = now.advanced(microseconds: Self.packet)
      return
    }
    let missing = time &- (expected ?? time)
    guard missing >= 0 else {
      late += 1
      return
    }
    let silence = max(0, now - playedUntil)
    // What is missing is not played, but takes its time all the same: the two do not add up.
    longest = max(longest, max(silence, missing &* 1000 / Self.ticksPerMillisecond))
    let begins = max(now, playedUntil)
    self.playedUntil = begins.advanced(microseconds: Self.packet)
  }

  /// Microseconds of the longest gap since the last call; one that goes on now counts as far as it has come.
  mutating func takeLongest(at now: Instant) -> Int64 {
    defer { longest = 0 }
    return max(longest, playedUntil.map { max(0, now - $0) } ?? 0)
  }

  /// Another stream goes on where the last one ended; its timestamps are its own.
  mutating func changeStream() {
    times = TimestampUnwrapper()
    expected = nil
  }
}
