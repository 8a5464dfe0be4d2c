import RoomRTMP
import RoomRTP

/// Maps a stream's timestamps to one timeline across wraparounds, publisher restarts and clock jumps. The first publisher's
/// timestamps are unchanged.
struct StreamTimeline: Sendable {
  /// In ms. A larger step in either direction is a jump: the timeline continues by the clock.
  static let largestStep: Int64 = 10_000

  private var unwrapper = TimestampUnwrapper()
  /// The offset added to an unwrapped timestamp in ms.
  private var shift: Int64 = 0
  /// The latest time and its arrival.
  private(set) var latest: (time: MediaTime, at: Instant)?
  /// The number of jumps of the publisher's clock.
  private(set) var jumps = 0

  /// Starts a publish: the next timestamp follows the previous media after the elapsed time.
  mutating func beginPublish() { unwrapper.reset() }

  /// Returns the time of a timestamp, which counts ms modulo 2³².
  mutating func time(of timestamp: UInt32, now: Instant) -> MediaTime {
    let isFirst = unwrapper.newest == nil
    let time = MediaTime(milliseconds: unwrapper.peek(timestamp) + shift)
    if let latest, isFirst || abs(time.milliseconds(since: latest.time)) > Self.largestStep {
      if !isFirst { jumps &+= 1 }
      unwrapper.reset()
      let raw = unwrapper.unwrap(timestamp)
      let next = latest.time.advanced(milliseconds: max(1, (now - latest.at) / 1000))
      shift = next.milliseconds - raw
      self.latest = (next, now)
      return next
    }
    _ = unwrapper.unwrap(timestamp)
    if latest.map({ time > $0.time }) ?? true { latest = (time, now) }
    return time
  }
}
