import NIOConcurrencyHelpers
import RTP
import RoomProtocol

/// What local tracks of both kinds share: the way of their frames into a transport, and what comes back.
public final class TrackFeed: Sendable {
  /// Where a published track's frames go.
  struct Outlet: Sendable {
    /// Which transport and m-line it is: the same again changes nothing.
    var transport: ObjectIdentifier
    var mid: String
    /// False where the transport's queue is full.
    var send: @Sendable (EncodedFrame, Int?) -> Bool
  }

  private struct State {
    /// Set while a room holds the track, from the call to publish on.
    var owner: ObjectIdentifier?
    var outlet: Outlet?
    var trackId: String?
    var muted = false
    /// Video: nothing but a key frame may be sent next.
    var needsKeyFrame = true
    var target: Int?
    var dropped: UInt64 = 0
  }

  let kind: TrackKind
  let keyFrameRequests = Fan<Void>()
  private let targets = Fan<Int>()
  private let state = NIOLockedValueBox(State())

  init(kind: TrackKind) { self.kind = kind }

  var trackId: String? { state.withLockedValue { $0.trackId } }
  var isMuted: Bool { state.withLockedValue { $0.muted } }
  var dropped: UInt64 { state.withLockedValue { $0.dropped } }
  var targetBitrates: AsyncStream<Int> { targets.stream(backlog: 1, first: state.withLockedValue { $0.target }) }

  func send(_ frame: EncodedFrame, level: Int?) -> Bool {
    let (sent, asks) = state.withLockedValue { state -> (Bool, Bool) in
      guard let outlet = state.outlet, !state.muted else {
        state.needsKeyFrame = true
        return (false, false)
      }
      if kind == .video, state.needsKeyFrame, !frame.isKeyFrame {
        state.dropped &+= 1
        return (false, true)
      }
      guard outlet.send(frame, level) else {
        state.dropped &+= 1
        state.needsKeyFrame = true
        return (false, kind == .video)
      }
      state.needsKeyFrame = false
      return (true, false)
    }
    if asks { keyFrameRequests.say(()) }
    return sent
  }

  /// False where another room, or this one, holds the track already.
  func claim(by owner: AnyObject) -> Bool {
    state.withLockedValue { state in
      guard state.owner == nil else { return false }
      state.owner = ObjectIdentifier(owner)
      return true
    }
  }

  func named(_ trackId: String) { state.withLockedValue { $0.trackId = trackId } }

  /// The transport is connected; nil when it is lost.
  func connect(_ outlet: Outlet?) {
    let asks = state.withLockedValue { state in
      if let outlet, let old = state.outlet, old.transport == outlet.transport, old.mid == outlet.mid { return false }
      state.outlet = outlet
      state.needsKeyFrame = true
      return outlet != nil && kind == .video
    }
    if asks { keyFrameRequests.say(()) }
  }

  func setMuted(_ muted: Bool) {
    let asks = state.withLockedValue { state in
      defer { state.muted = muted }
      return state.muted && !muted && state.outlet != nil && kind == .video
    }
    if asks { keyFrameRequests.say(()) }
  }

  func keyFrameRequested() { keyFrameRequests.say(()) }

  func setTarget(_ bitsPerSecond: Int) {
    state.withLockedValue { $0.target = bitsPerSecond }
    targets.say(bitsPerSecond)
  }

  /// Gives the track free: it may be published anew, here or elsewhere.
  func release() {
    state.withLockedValue { state in
      state.owner = nil
      state.outlet = nil
      state.trackId = nil
      state.muted = false
      state.needsKeyFrame = true
    }
  }
}
