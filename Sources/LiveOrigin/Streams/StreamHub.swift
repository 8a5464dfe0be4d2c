import RTMP
import RTP
import Synchronization

/// One live stream between its publisher and its viewers.
///
/// - Keeps the newest messages once, from the last key frame on at least. A viewer has no queue: it has a place among them, and
///   asks for the next when its socket has room. So a viewer costs the same memory whether it is fast, slow or dead.
/// - A viewer begins with the metadata, the decoders' configurations and the last key frame, and so has a picture at once.
/// - One that falls behind loses video up to a key frame, in whole groups, and keeps its sound; only one that can't even take
///   the sound in time loses some of that too, and begins again at a key frame.
/// - The publisher may go and come back, or its clock may jump: the viewers' timestamps go on.
///
/// Has no clock and no socket; may be used from any thread.
public final class StreamHub: Sendable {
  /// What a stream may take of memory, and when a viewer is too slow.
  public struct Limits: Sendable {
    /// Bytes of the messages that are kept.
    public var bytes: Int
    /// How many messages are kept.
    public var messages: Int
    /// Bytes of one message.
    public var messageLength: Int
    /// Milliseconds from a key frame to the newest message, above which viewers no longer begin there but wait for the next
    /// one.
    public var longestGroup: Int64
    /// Milliseconds by which a viewer may be late before it loses video.
    public var lag: Int64
    /// Milliseconds for which sound is kept for those that are late.
    public var soundLag: Int64
    /// Milliseconds back to the key frame that a viewer begins with who wants the past, at least, where the stream is that old and the
    /// bytes allow it: HLS begins with the three segments that its players want.
    public var past: Int64
    /// Milliseconds of sound that a viewer begins with where the stream has no key frame to begin at.
    public var soundStart: Int64
    /// Viewers at a time.
    public var viewers: Int

    /// The defaults hold 8 s at 20 Mbit/s.
    public init(
      bytes: Int = 24 << 20, messages: Int = 8192, messageLength: Int = 8 << 20, longestGroup: Int64 = 12_000,
      lag: Int64 = 2000, soundLag: Int64 = 5000, past: Int64 = 8000, soundStart: Int64 = 1000, viewers: Int = 10_000
    ) {
      self.bytes = bytes
      self.messages = messages
      self.messageLength = messageLength
      self.longestGroup = longestGroup
      self.lag = lag
      self.soundLag = soundLag
      self.past = past
      self.soundStart = soundStart
      self.viewers = viewers
    }
  }

  /// What happened to a stream so far, and how it is now.
  public struct Statistics: Sendable, Hashable {
    public var isPublished = false
    public var viewers = 0
    /// All messages that were published and taken, with the headers.
    public var messages = 0
    public var bytes = 0
    /// Messages that no player could read, that were too long, or that came before the first key frame.
    public var dropped = 0
    /// Jumps of the publisher's clock.
    public var jumps = 0
    /// What is kept now.
    public var keptMessages = 0
    public var keptBytes = 0
    /// Milliseconds from the last key frame to the newest message; nil where no viewer could begin with a picture now.
    public var groupLength: Int64?
  }

  struct State {
    var ring = MediaRing()
    var headers = StreamHeaders()
    var timeline = StreamTimeline()
    /// The key frames in the ring, oldest first.
    var keyFrames: [(number: Int, time: MediaTime)] = []
    /// Milliseconds between the last two key frames.
    var groupLength: Int64 = 0
    var headerVersion = 0
    /// Those of the publish before: what comes back unchanged is no change.
    var formerHeaders = StreamHeaders()
    /// Frames of a publisher that begins in the middle of a group are of no use.
    var awaitsKeyFrame = true
    var isClosed = false
    /// The last copy of each header that was made for viewers at some place, by version.
    var copies: [Int: LiveMedia] = [:]
    var statistics = Statistics()
  }

  let limits: Limits
  let state = Mutex(State())

  /// A stream that nobody publishes yet.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// What happened so far.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.jumps = state.timeline.jumps
      statistics.keptMessages = state.ring.count
      statistics.keptBytes = state.ring.bytes
      if let key = state.keyFrames.last, let latest = state.timeline.latest {
        statistics.groupLength = latest.time.milliseconds(since: key.time)
      }
      return statistics
    }
  }

  /// The metadata and the decoders' configurations of what is published now.
  public var headers: [MediaMessage] { state.withLock { $0.headers.all.map(\.media) } }

  // MARK: The publisher's side

  /// A publisher begins, for the first time or again; it has to send its decoders' configurations.
  public func beginPublish() {
    state.withLock { state in
      state.timeline.beginPublish()
      state.awaitsKeyFrame = true
      state.formerHeaders = state.headers
      state.headers = StreamHeaders()
      state.statistics.isPublished = true
    }
  }

  /// The publisher is gone. What is kept stays for the viewers that are late, and for those that wait for it to come back;
  /// newcomers do not begin with it.
  public func endPublish() {
    state.withLock { state in
      state.statistics.isPublished = false
      state.keyFrames = []
    }
  }

  /// The stream is over for good: viewers come to its end.
  public func close() {
    state.withLock { state in
      state.statistics.isPublished = false
      state.isClosed = true
    }
  }

  /// Takes a message of the publisher's. Whoever serves viewers then wakes those that had nothing to send.
  /// - Returns: false where it was dropped.
  @discardableResult
  public func publish(_ media: MediaMessage, now: Instant) -> Bool {
    let role = MediaRole(media)
    return state.withLock { state in
      guard media.payload.count <= limits.messageLength, take(media, as: role, now: now, &state) else {
        state.statistics.dropped &+= 1
        return false
      }
      state.statistics.messages &+= 1
      state.statistics.bytes &+= media.payload.count
      return true
    }
  }

  private func take(_ media: MediaMessage, as role: MediaRole, now: Instant, _ state: inout State) -> Bool {
    switch role {
    case .malformed: return false
    case .header(let slot):
      state.headerVersion += 1
      let former = state.formerHeaders.all.first { $0.slot == slot && $0.media.payload == media.payload }
      let version = former?.version ?? state.headerVersion
      guard let headers = state.headers.replacing(slot, by: media, version: version) else { return false }
      state.headers = headers
      return true
    case .frame, .keyFrame: break
    }
    var isKeyFrame = false
    if case .keyFrame = role { isKeyFrame = true }
    if media.kind == .video {
      guard isKeyFrame || !state.awaitsKeyFrame else { return false }
      state.awaitsKeyFrame = false
    }
    let time = state.timeline.time(of: media.timestamp, now: now)
    let shifted = MediaMessage(media.kind, at: time, payload: media.payload)
    if isKeyFrame {
      if let former = state.keyFrames.last {
        state.groupLength = min(time.milliseconds(since: former.time), limits.longestGroup)
      }
      state.keyFrames.append((state.ring.end, time))
    }
    state.ring.append(
      MediaRing.Item(media: LiveMedia(shifted, time: time, isKeyFrame: isKeyFrame), headers: state.headers))
    forget(&state)
    return true
  }

  /// Lets go of what nobody can want: neither newcomers, from a key frame of long enough ago on, nor viewers that are late but not
  /// too late; and of more than that where it is too much.
  private func forget(_ state: inout State) {
    guard let latest = state.timeline.latest?.time else { return }
    if let key = state.keyFrames.last, latest.milliseconds(since: key.time) > limits.longestGroup { state.keyFrames = [] }
    let past = state.keyFrames.prefix { latest.milliseconds(since: $0.time) >= limits.past }.last ?? state.keyFrames.first
    let group = past?.number ?? state.ring.end
    while let first = state.ring.first {
      let isTooMuch = state.ring.bytes > limits.bytes || state.ring.count > limits.messages
      // A viewer may have begun a whole group behind.
      let age = latest.milliseconds(since: first.media.time)
      let isOld = age > max(limits.soundLag, limits.lag) + state.groupLength
      guard isTooMuch || (isOld && state.ring.start < group) else { break }
      state.ring.removeFirst()
    }
    let start = state.ring.start
    if let stale = state.keyFrames.lastIndex(where: { $0.number < start }) { state.keyFrames.removeFirst(stale + 1) }
  }

  // MARK: The viewers' side

  /// A new viewer; nil where there are too many, or the stream is over.
  public func join(_ options: StreamViewer.Options = .init()) -> StreamViewer? {
    let place = state.withLock { state -> StreamViewer.Place? in
      guard !state.isClosed, state.statistics.viewers < limits.viewers else { return nil }
      state.statistics.viewers += 1
      return begin(state, options)
    }
    return place.map { StreamViewer(hub: self, options: options, place: $0) }
  }

  func leave() { state.withLock { $0.statistics.viewers -= 1 } }
}
