import RoomRTMP
import RoomRTP
import Synchronization

/// One live stream between its publisher and its viewers.
///
/// - Keeps one copy of the newest messages, at least from the last key frame on. A viewer has no queue: it has a position among
///   them, and requests the next message when its socket is writable. A viewer therefore uses the same memory whether it is
///   fast, slow or dead.
/// - A viewer starts with the metadata, the decoder configurations and the last key frame, and so shows a picture at once.
/// - A viewer that falls behind loses video in whole groups up to a key frame, and keeps its audio. Only a viewer that cannot
///   even receive the audio in time loses some of that too, and restarts at a key frame.
/// - The publisher may leave and return, or its clock may jump: the viewers' timestamps continue.
///
/// Has no clock or sockets. Thread-safe.
public final class StreamHub: Sendable {
  /// The memory limits of a stream, and the limits for slow viewers.
  public struct Limits: Sendable {
    /// The maximum size of the kept messages in bytes.
    public var bytes: Int
    /// The maximum number of kept messages.
    public var messages: Int
    /// The maximum size of a message in bytes.
    public var messageLength: Int
    /// The maximum distance from a key frame to the newest message in ms. Above it, viewers do not start at that key frame but
    /// wait for the next one.
    public var longestGroup: Int64
    /// The lag in ms above which a viewer loses video.
    public var lag: Int64
    /// How long audio is kept for lagging viewers, in ms.
    public var soundLag: Int64
    /// The minimum distance to the key frame that a viewer with `wantsPast` starts at, in ms; without pictures, that to the first
    /// sound. The limit applies if the stream is old enough and fits the byte limit. HLS needs it to start with the three
    /// segments that its players require.
    public var past: Int64
    /// The duration of audio that a viewer starts with if the stream has no key frame to start at, in ms.
    public var soundStart: Int64
    /// The maximum number of viewers.
    public var viewers: Int

    /// Creates limits. The defaults keep 8 s at 20 Mbps.
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

  /// The counters and the current state of a stream.
  public struct Statistics: Sendable, Hashable {
    public var isPublished = false
    public var viewers = 0
    /// All accepted messages, including headers.
    public var messages = 0
    public var bytes = 0
    /// Dropped messages: unreadable for players, too long, or before the first key frame.
    public var dropped = 0
    /// Jumps of the publisher's clock.
    public var jumps = 0
    /// The number of messages kept now.
    public var keptMessages = 0
    public var keptBytes = 0
    /// The distance from the last key frame to the newest message in ms; nil if new viewers currently get no picture.
    public var groupLength: Int64?
  }

  struct State {
    var ring = MediaRing()
    var headers = StreamHeaders()
    /// The kinds of media of the current publish.
    var kinds = MediaKindsFinder()
    var timeline = StreamTimeline()
    /// The kept key frames, oldest first.
    var keyFrames: [(number: Int, time: MediaTime)] = []
    /// The distance between the last two key frames in ms.
    var groupLength: Int64 = 0
    var headerVersion = 0
    /// The headers of the previous publish. A header that returns unchanged is not a change.
    var formerHeaders = StreamHeaders()
    /// Frames of a publisher that starts in the middle of a group cannot be decoded.
    var awaitsKeyFrame = true
    var isClosed = false
    /// The last copy of each header made for viewers at some position, by version.
    var copies: [Int: LiveMedia] = [:]
    var statistics = Statistics()
  }

  let limits: Limits
  let state = Mutex(State())

  /// Creates a stream without a publisher.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// The current statistics.
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

  /// The current metadata and decoder configurations.
  public var headers: [MediaMessage] { state.withLock { $0.headers.all.map(\.media) } }

  /// The kinds of media of the current publish; nil while they are unknown. The kinds of a stream that has ended are known.
  public var kinds: MediaKinds? { state.withLock { $0.isClosed ? $0.kinds.seen : $0.kinds.kinds } }

  /// The codecs of the current publish, as far as they have arrived.
  public var codecs: MediaCodecs { state.withLock { $0.kinds.codecs } }

  /// Returns the UNIX time in ms at the start of the timeline; nil before the first message.
  /// - Parameters:
  ///   - unixTime: The current UNIX time in ms.
  ///   - now: The current time of the clock that `publish` gets.
  public func epoch(unixTime: Int64, now: Instant) -> Int64? {
    guard let latest = state.withLock({ $0.timeline.latest }) else { return nil }
    return unixTime - latest.time.milliseconds - (now - latest.at) / 1000
  }

  // MARK: The publisher's side

  /// Starts a publish, the first or a later one. The publisher must send its decoder configurations.
  public func beginPublish() {
    state.withLock { state in
      state.timeline.beginPublish()
      state.awaitsKeyFrame = true
      state.formerHeaders = state.headers
      state.headers = StreamHeaders()
      state.kinds = MediaKindsFinder()
      state.statistics.isPublished = true
    }
  }

  /// Ends a publish. The kept messages stay for lagging viewers and for those that wait for the publisher to return. New
  /// viewers do not start with them.
  public func endPublish() {
    state.withLock { state in
      state.statistics.isPublished = false
      state.keyFrames = []
    }
  }

  /// Ends the stream permanently. Viewers receive the remaining messages and then the end.
  public func close() {
    state.withLock { state in
      state.statistics.isPublished = false
      state.isClosed = true
    }
  }

  /// Accepts a message from the publisher. The caller then wakes the viewers that were up to date.
  /// - Returns: False if the message was dropped.
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
      let media = media.withoutLength
      state.headerVersion += 1
      let former = state.formerHeaders.all.first { $0.slot == slot && $0.media.payload == media.payload }
      let version = former?.version ?? state.headerVersion
      guard let headers = state.headers.replacing(slot, by: media, version: version) else { return false }
      state.headers = headers
      if media.kind == .data { state.kinds.take(metadata: media) } else { state.kinds.take(configuration: media) }
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
    state.kinds.take(media, at: time)
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

  /// Removes messages that no viewer needs: neither new viewers, which start at a sufficiently old key frame, nor viewers
  /// within the lag limits. Removes more if the size limits are exceeded.
  private func forget(_ state: inout State) {
    guard let latest = state.timeline.latest?.time else { return }
    if let key = state.keyFrames.last, latest.milliseconds(since: key.time) > limits.longestGroup { state.keyFrames = [] }
    let past = state.keyFrames.prefix { latest.milliseconds(since: $0.time) >= limits.past }.last ?? state.keyFrames.first
    let group = past?.number ?? state.ring.end
    while let first = state.ring.first {
      let isTooMuch = state.ring.bytes > limits.bytes || state.ring.count > limits.messages
      // A viewer may have started a whole group behind, or in the past of a stream without pictures.
      let age = latest.milliseconds(since: first.media.time)
      let past = state.kinds.seen == .audio ? limits.past : 0
      let isOld = age > max(limits.soundLag, limits.lag, past) + state.groupLength
      guard isTooMuch || (isOld && state.ring.start < group) else { break }
      state.ring.removeFirst()
    }
    let start = state.ring.start
    if let stale = state.keyFrames.lastIndex(where: { $0.number < start }) { state.keyFrames.removeFirst(stale + 1) }
  }

  // MARK: The viewers' side

  /// Adds a viewer. Returns nil if there are too many, or if the stream has ended.
  public func join(_ options: StreamViewer.Options = .init()) -> StreamViewer? {
    let position = state.withLock { state -> StreamViewer.Position? in
      guard !state.isClosed, state.statistics.viewers < limits.viewers else { return nil }
      state.statistics.viewers += 1
      return begin(state, options)
    }
    return position.map { StreamViewer(hub: self, options: options, position: $0) }
  }

  func leave() { state.withLock { $0.statistics.viewers -= 1 } }
}
