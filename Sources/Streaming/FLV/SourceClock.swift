import RoomRTP

/// Maps a source's timestamps to the time of the push.
///
/// The first frame has the time of its arrival, and the next ones follow their timestamps. A source whose clock jumps, or was
/// paused without its timestamps, begins anew.
struct SourceClock: Sendable {
  /// A source may be early or late by this much, in microseconds, because of its own queue.
  private static let tolerance: Int64 = 500_000

  private var offset: Int64?

  /// Returns the time of the push for a frame.
  /// - Parameters:
  ///   - timestamp: the frame's own.
  ///   - arrival: when the app pushed it.
  mutating func time(of timestamp: MediaTime, arrival: Instant) -> MediaTime {
    let stamp = min(max(timestamp.microseconds, -(1 << 60)), 1 << 60)
    var offset = offset ?? arrival.microseconds - stamp
    if abs(stamp + offset - arrival.microseconds) > Self.tolerance { offset = arrival.microseconds - stamp }
    self.offset = offset
    return MediaTime(microseconds: stamp + offset)
  }
}
