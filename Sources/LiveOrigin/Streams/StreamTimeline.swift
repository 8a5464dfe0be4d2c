import RTMP
import RTP

/// Makes one timeline of a stream's timestamps, over their wraps, over the publisher's coming back and over its jumps. The
/// first publisher's timestamps stand as they are.
struct StreamTimeline: Sendable {
  /// A step larger than this, to either side, is a jump: the timeline goes on by the clock.
  static let largestStep: Int64 = 10_000

  private var unwrapper = TimestampUnwrapper()
  /// What is added to an unwrapped timestamp.
  private var shift: Int64 = 0
  /// The latest time, and when it came.
  private(set) var latest: (time: Int64, at: Instant)?
  /// Jumps of the publisher's clock so far.
  private(set) var jumps = 0

  /// The next timestamp begins a publish: it follows what was, as the clock says.
  mutating func beginPublish() { unwrapper.reset() }

  /// Milliseconds on the stream's timeline.
  mutating func time(of timestamp: UInt32, now: Instant) -> Int64 {
    let isFirst = unwrapper.newest == nil
    let time = unwrapper.peek(timestamp) + shift
    if let latest, isFirst || abs(time - latest.time) > Self.largestStep {
      if !isFirst { jumps &+= 1 }
      unwrapper.reset()
      let raw = unwrapper.unwrap(timestamp)
      let next = latest.time + max(1, (now - latest.at) / 1000)
      shift = next - raw
      self.latest = (next, now)
      return next
    }
    _ = unwrapper.unwrap(timestamp)
    if latest.map({ time > $0.time }) ?? true { latest = (time, now) }
    return time
  }
}
