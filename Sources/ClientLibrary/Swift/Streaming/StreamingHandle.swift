import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomStreaming
import Synchronization

/// A push of the app to a live server.
final class StreamingHandle: Handle {
  private struct State {
    var state = StreamingState.unknown
    var studio: (any FrameProcessor)?
    var sound: SoundFeed?
  }

  let queue: EventQueue
  let session: StreamingSession
  private let events: StreamDelivery
  private let hooks: Delivery
  private let state = Mutex(State())
  /// Pictures on their way through the studio. The stream's task keeps the app's thread free of the work. All pictures take it,
  /// so that they stay in order.
  private let pictures = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// - Parameter hooks: the callbacks that the session asks.
  init(_ session: StreamingSession, on queue: EventQueue, hooks: Delivery) {
    self.session = session
    self.hooks = hooks
    self.queue = queue
    events = StreamDelivery(on: queue)
    let frames = pictures.frames
    pictures.run { [weak self, session] in
      for await frame in frames { session.push(self?.studio?.process(frame) ?? frame) }
    }
  }

  private var studio: (any FrameProcessor)? { state.withLock { $0.studio } }

  /// The last state that was reported.
  var current: StreamingState { state.withLock { $0.state } }

  /// Delivers the events of the session.
  func start(_ send: @escaping @Sendable (StreamingEvent) -> Void) {
    // The session's own stream, so that the state is known before the app dispatches.
    let (waiting, continuation) = AsyncStream.makeStream(of: StreamingEvent.self, bufferingPolicy: .bufferingNewest(64))
    let events = session.events
    Task { [weak self] in
      for await event in events {
        if case .state(let new, _) = event { self?.state.withLock { $0.state = new } }
        continuation.yield(event)
      }
      continuation.finish()
    }
    self.events.start(waiting) { if let event = $0 { send(event) } }
  }

  func push(_ frame: VideoFrame) { pictures.push(frame) }

  func set(_ studio: (any FrameProcessor)?) { state.withLock { $0.studio = studio } }

  /// Takes the sound of a sound studio; nil takes what the app pushes.
  func set(_ sound: SoundHandle?) {
    let new = sound?.connect(SoundOutput(push: { [session] in session.push($0) }))
    let old = state.withLock { state in
      defer { state.sound = new }
      return state.sound
    }
    old?.end()
  }

  func close() {
    set(nil as SoundHandle?)
    pictures.end()
    events.end()
    hooks.end()
    session.share(camera: nil, microphone: nil)
    // Its end is that of the connection. An app that needs to know it calls `rc_streaming_stop` before.
    Task { [session] in await session.stop() }
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> StreamingHandle {
    try HandleTable.shared.find(handle, StreamingHandle.self, "session")
  }
}
