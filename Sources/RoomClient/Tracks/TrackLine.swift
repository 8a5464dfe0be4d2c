import NIOConcurrencyHelpers
import RTP
import RoomProtocol

/// The way of one track's frames into one room: the room's id for the track, whether it is muted there, and the transport that
/// carries it.
final class TrackLine: Sendable {
  /// Where the frames go.
  struct Outlet: Sendable {
    /// Which transport and m-line it is: the same again changes nothing.
    var transport: ObjectIdentifier
    var mid: Mid
    /// False where the transport's queue is full.
    var send: @Sendable (EncodedFrame, Int?) -> Bool
  }

  enum Sent {
    case sent
    /// Not connected, or muted: nobody waits for frames.
    case noWay
    /// The queue is full, or video has to go on with a key frame.
    case dropped(needsKeyFrame: Bool)
  }

  private struct State {
    var outlet: Outlet?
    var trackId: TrackID?
    var muted: Bool
    /// Video: nothing but a key frame may be sent next.
    var needsKeyFrame = true
    var target: Int?
  }

  private let feed: TrackFeed
  private let state: NIOLockedValueBox<State>

  init(_ feed: TrackFeed, muted: Bool) {
    self.feed = feed
    state = NIOLockedValueBox(State(muted: muted))
  }

  var kind: TrackKind { feed.kind }
  /// The room's id for the track; nil before it is published.
  var trackId: TrackID? { state.withLockedValue { $0.trackId } }
  var isMuted: Bool { state.withLockedValue { $0.muted } }
  /// Bits per second that this way takes.
  var target: Int? { state.withLockedValue { $0.target } }

  func send(_ frame: EncodedFrame, level: Int?) -> Sent {
    let isVideo = kind == .video
    return state.withLockedValue { state in
      guard let outlet = state.outlet, !state.muted else {
        state.needsKeyFrame = true
        return .noWay
      }
      if isVideo, state.needsKeyFrame, !frame.isKeyFrame { return .dropped(needsKeyFrame: true) }
      state.needsKeyFrame = !outlet.send(frame, level)
      return state.needsKeyFrame ? .dropped(needsKeyFrame: isVideo) : .sent
    }
  }

  func named(_ trackId: TrackID) { state.withLockedValue { $0.trackId = trackId } }

  /// The transport is connected; nil when it is lost.
  func connect(_ outlet: Outlet?) {
    let isVideo = kind == .video
    let asks = state.withLockedValue { state in
      if let outlet, let old = state.outlet, old.transport == outlet.transport, old.mid == outlet.mid { return false }
      state.outlet = outlet
      state.needsKeyFrame = true
      return outlet != nil && isVideo
    }
    if asks { feed.keyFrameRequests.say(()) }
  }

  func setMuted(_ muted: Bool) {
    let isVideo = kind == .video
    let asks = state.withLockedValue { state in
      defer { state.muted = muted }
      return state.muted && !muted && state.outlet != nil && isVideo
    }
    if asks { feed.keyFrameRequests.say(()) }
  }

  func keyFrameRequested() { feed.keyFrameRequests.say(()) }

  func setTarget(_ bitsPerSecond: Int) {
    state.withLockedValue { $0.target = bitsPerSecond }
    feed.spreadTarget()
  }

  /// Gives the track free: it may be published anew, here or elsewhere. More than once is the same as once.
  func release() {
    state.withLockedValue { $0 = State(muted: false) }
    feed.remove(self)
  }
}
