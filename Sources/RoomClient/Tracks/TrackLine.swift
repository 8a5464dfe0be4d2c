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
    /// Sends a frame, of a layer if the track has layers, with its level. Returns false if the transport's queue is full.
    var send: @Sendable (EncodedFrame, Rid?, Int?) -> Bool
  }

  enum Sent {
    case sent
    /// Not connected, muted, or of a layer that nobody receives: the frame is not needed.
    case notConnected
    /// The queue is full, or video must continue with a key frame.
    case dropped(needsKeyFrame: Bool)
  }

  private struct State {
    var outlet: Outlet?
    var trackId: TrackID?
    var muted: Bool
    /// For video, the layers that need no key frame; nil is a track without layers.
    var running: Set<Rid?> = []
    /// The layers in use; nil for all.
    var wanted: Set<Rid>?
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

  func send(_ frame: EncodedFrame, rid: Rid? = nil, level: Int?) -> Sent {
    let isVideo = kind == .video
    return state.withLock { state in
      guard let outlet = state.outlet, !state.muted else {
        state.running = []
        return .notConnected
      }
      if let rid, let wanted = state.wanted, !wanted.contains(rid) {
        state.running.remove(rid)
        return .notConnected
      }
      if isVideo, !frame.isKeyFrame, !state.running.contains(rid) { return .dropped(needsKeyFrame: true) }
      guard outlet.send(frame, rid, level) else {
        state.running.remove(rid)
        return .dropped(needsKeyFrame: isVideo)
      }
      state.running.insert(rid)
      return .sent
    }
  }

  func named(_ trackId: TrackID) { state.withLock { $0.trackId = trackId } }

  /// Connects the transport; nil disconnects it.
  func connect(_ outlet: Outlet?) {
    let isVideo = kind == .video
    let asks = state.withLock { state in
      if let outlet, let old = state.outlet, old.transport == outlet.transport, old.mid == outlet.mid { return false }
      state.outlet = outlet
      state.running = []
      return outlet != nil && isVideo
    }
    if asks { feed.askForKeyFrame() }
  }

  func setMuted(_ muted: Bool) {
    let isVideo = kind == .video
    let asks = state.withLock { state in
      defer { state.muted = muted }
      return state.muted && !muted && state.outlet != nil && isVideo
    }
    if asks { feed.askForKeyFrame() }
  }

  func keyFrameRequested(_ rid: Rid? = nil) { feed.askForKeyFrame(rid) }

  /// The layers in use; nil for all.
  var wanted: Set<Rid>? { state.withLock { $0.wanted } }

  /// Sets the layers in use; nil for all. Frames of the others are not sent.
  func setWanted(_ rids: Set<Rid>?) {
    let returned = state.withLock { state in
      defer { state.wanted = rids }
      guard let before = state.wanted else { return Set<Rid>() }
      return (rids ?? Set(feed.layers)).subtracting(before)
    }
    feed.spreadWanted()
    for rid in returned { feed.askForKeyFrame(rid) }
  }

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
