import RoomCClient
import RoomClient
import Synchronization

/// A room of the app: it is joining, joined or released.
final class RoomHandle: Handle {
  private struct State {
    var room: Room?
    var joining: Task<Void, Never>?
    var isReleased = false
  }

  let queue: EventQueue
  private let events: RoomEvents?
  private let state = Mutex(State())

  init(_ queue: EventQueue, _ events: RoomEvents?) {
    self.queue = queue
    self.events = events
  }

  /// The joined room.
  /// - Throws: `RC_NOT_CONNECTED` before the join.
  func joined() throws(Refusal) -> Room {
    guard let room = state.withLock(\.room) else { throw Refusal(RC_NOT_CONNECTED, "the room is not joined") }
    return room
  }

  var eventsDropped: UInt64 { events?.dropped ?? 0 }

  /// Joins by `open` and answers the call.
  func join(as handle: UInt, _ call: UInt64, _ open: @escaping @Sendable () async throws -> Room) {
    let joining = Task { [self] in
      do {
        let room = try await open()
        let isReleased = state.withLock { state in
          if !state.isReleased { state.room = room }
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
    // A room that is released leaves.
    let (room, joining) = state.withLock { state in
      defer { state = State(isReleased: true) }
      return (state.room, state.joining)
    }
    joining?.cancel()
    _ = room
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> RoomHandle {
    try HandleTable.shared.find(handle, RoomHandle.self, "room")
  }
}
