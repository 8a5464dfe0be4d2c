import RTMP
import RTP

/// Makes one timeline of a stream's timestamps, over their wraps, over the publisher's coming back and over its jumps. The
/// first publisher's timestamps stand as they are.
struct StreamTimeline: Sendable {
  /// Milliseconds. A step larger than this, to either side, is a jump: the timeline continues by the clock.
  static let largestStep: Int64 = 10_000

  private var unwrapper = TimestampUnwrapper()
  /// Milliseconds that are added to an unwrapped timestamp.
  private var shift: Int64 = 0
  /// The latest time, and when it came.
  private(set) var latest: (time: MediaTime, at: Instant)?
  /// Jumps of the publisher's clock so far.
  private(set) var jumps = 0

  /// The next timestamp begins a publish: it follows what was, as the clock says.
  mutating func beginPublish() { unwrapper.reset() }

  /// The time of a timestamp, which counts milliseconds modulo 2³².
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
