import RoomRTP

/// Follows an audio stream by its packets' headers and computes how long a listener would have no audio.
///
/// The assumed player starts with the first packet and does not buffer: if it runs out of audio it is silent until the next
/// packet arrives, and stays delayed by that time. A gap is therefore real silence, and jitter of a packet alone is not a gap.
/// Packets missing by number or by time also count as silence.
struct SoundTimeline: Sendable {
  /// Duration of a packet in microseconds; timestamps are in ticks of 48 kHz.
  static let packet: Int64 = 20_000
  private static let ticksPerMillisecond: Int64 = 48

  private var times = TimestampUnwrapper()
  /// Expected timestamp of the next packet.
  private var expected: Int64?
  /// When the player will have played everything received so far.
  private var playedUntil: Instant?
  /// Longest gap since the last call, in microseconds.
  private(set) var longest: Int64 = 0
  /// Packets that arrived late or twice.
  private(set) var late = 0

  /// Processes a packet.
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
    // A missing packet is not played but still takes its time, so the two durations are not added.
    longest = max(longest, max(silence, missing &* 1000 / Self.ticksPerMillisecond))
    let begins = max(now, playedUntil)
    self.playedUntil = begins.advanced(microseconds: Self.packet)
  }

  /// Returns and resets the longest gap in microseconds. A gap that is still open counts with its current length.
  mutating func takeLongest(at now: Instant) -> Int64 {
    defer { longest = 0 }
    return max(longest, playedUntil.map { max(0, now - $0) } ?? 0)
  }

  /// Switches to another stream, whose timestamps are independent of the previous one.
  mutating func changeStream() {
    times = TimestampUnwrapper()
    expected = nil
  }
}
