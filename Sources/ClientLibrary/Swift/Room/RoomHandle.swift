import RoomCClient
import RoomClient
import Synchronization

/// A room of the app: it is joining, joined or released.
final class RoomHandle: Handle {
  private struct State {
    var room: Room?
    var diagnostics: Diagnostics?
    /// The app's editing of the stage.
    var editing: Delivery?
    var joining: Task<Void, Never>?
    var isReleased = false
  }

  let queue: EventQueue
  /// The callbacks that the room asks. A room that follows this one in a PK asks them too.
  let hooks: Delivery
  private let events: RoomEvents?
  private let state = Mutex(State())

  init(_ queue: EventQueue, _ hooks: Delivery, _ events: RoomEvents?) {
    self.queue = queue
    self.hooks = hooks
    self.events = events
  }

  /// The joined room.
  /// - Throws: `RC_NOT_CONNECTED` before the join.
  func joined() throws(Refusal) -> Room {
    guard let room = state.withLock(\.room) else { throw Refusal(RC_NOT_CONNECTED, "the room is not joined") }
    return room
  }

  /// What happened since the join.
  /// - Throws: `RC_NOT_CONNECTED` before the join.
  func diagnostics() throws(Refusal) -> Diagnostics {
    guard let diagnostics = state.withLock(\.diagnostics) else { throw Refusal(RC_NOT_CONNECTED, "the room is not joined") }
    return diagnostics
  }

  /// Sets the app's editing of the stage. No callback of the one before begins after this.
  func setEditing(_ editing: Delivery?) {
    let ended = state.withLock { state in
      guard !state.isReleased else { return editing }
      defer { state.editing = editing }
      return state.editing
    }
    ended?.expire()
  }

  var eventsDropped: UInt64 { events?.dropped ?? 0 }

  /// Joins by `open` and answers the call.
  func join(as handle: UInt, _ call: UInt64, _ open: @escaping @Sendable () async throws -> Room) {
    let joining = Task { [self] in
      do {
        let room = try await open()
        let isReleased = state.withLock { state in
          if !state.isReleased { (state.room, state.diagnostics) = (room, Diagnostics(room, log: ProcessSetup.log)) }
          state.joining = nil
          return state.isReleased
        }
        if isReleased { throw CancellationError() }
        events?.start(room, as: handle)
        queue.finish(call, .success())
      } catch {
        queue.finish(call, Answer(error))
      }
    }
    let isReleased = state.withLock { state in
      if state.room == nil { state.joining = joining }
      return state.isReleased
    }
    if isReleased { joining.cancel() }
  }

  func close() {
    events?.end()
    hooks.end()
    // A room that is released leaves.
    let old = state.withLock { state in
      defer { state = State(isReleased: true) }
      return state
    }
    old.editing?.end()
    old.joining?.cancel()
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> RoomHandle {
    try HandleTable.shared.find(handle, RoomHandle.self, "room")
  }
}
