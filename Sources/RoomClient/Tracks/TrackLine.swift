import RoomRTP
import RoomProtocol
import Synchronization

/// The path of one track's frames into one room: the room's id for the track, its mute state there, and the transport.
final class TrackLine: Sendable {
  /// The transport of the frames.
  struct Outlet: Sendable {
    /// Identifies the transport and the m-line; connecting the same again changes nothing.
    var transport: ObjectIdentifier
    var mid: Mid
    /// Returns false if the transport's queue is full.
    var send: @Sendable (EncodedFrame, Int?) -> Bool
  }

  enum Sent {
    case sent
    /// Not connected or muted: the frame is not needed.
    case notConnected
    /// The queue is full, or video must continue with a key frame.
    case dropped(needsKeyFrame: Bool)
  }

  private struct State {
    var outlet: Outlet?
    var trackId: TrackID?
    var muted: Bool
    /// For video, whether the next frame must be a key frame.
    var needsKeyFrame = true
    var target: Int?
  }

  private let feed: TrackFeed
  private let state: Mutex<State>

  init(_ feed: TrackFeed, muted: Bool) {
    self.feed = feed
    state = Mutex(State(muted: muted))
  }

  var kind: TrackKind { feed.kind }
  /// The room's id for the track; nil before it is published.
  var trackId: TrackID? { state.withLock { $0.trackId } }
  var isMuted: Bool { state.withLock { $0.muted } }
  /// The lowest useful bitrate of the track in bits per second.
  var minimum: Int { feed.minimum }
  /// The available bitrate of this line in bits per second.
  var target: Int? { state.withLock { $0.target } }

  func send(_ frame: EncodedFrame, level: Int?) -> Sent {
    let isVideo = kind == .video
    return state.withLock { state in
      guard let outlet = state.outlet, !state.muted else {
        state.needsKeyFrame = true
        return .notConnected
      }
      if isVideo, state.needsKeyFrame, !frame.isKeyFrame { return .dropped(needsKeyFrame: true) }
      state.needsKeyFrame = !outlet.send(frame, level)
      return state.needsKeyFrame ? .dropped(needsKeyFrame: isVideo) : .sent
    }
  }

  func named(_ trackId: TrackID) { state.withLock { $0.trackId = trackId } }

  /// Connects the transport; nil disconnects it.
  func connect(_ outlet: Outlet?) {
    let isVideo = kind == .video
    let asks = state.withLock { state in
      if let outlet, let old = state.outlet, old.transport == outlet.transport, old.mid == outlet.mid { return false }
      state.outlet = outlet
      state.needsKeyFrame = true
      return outlet != nil && isVideo
    }
    if asks { feed.keyFrameRequests.send(()) }
  }

  func setMuted(_ muted: Bool) {
    let isVideo = kind == .video
    let asks = state.withLock { state in
      defer { state.muted = muted }
      return state.muted && !muted && state.outlet != nil && isVideo
    }
    if asks { feed.keyFrameRequests.send(()) }
  }

  func keyFrameRequested() { feed.keyFrameRequests.send(()) }

  func setTarget(_ bitsPerSecond: Int) {
    let isNew = state.withLock { state in
      defer { state.target = bitsPerSecond }
      return state.target != bitsPerSecond
    }
    if isNew { feed.spreadTarget() }
  }

  func lossReported(_ share: Double) { feed.lossReported(share) }

  /// Releases the track, which may then be published again, here or elsewhere. Repeated calls have no effect.
  func release() {
    state.withLock { $0 = State(muted: false) }
    feed.remove(self)
  }
}
