import RoomCClient
import RoomClient

/// A call without a result. `prepare` copies the arguments on the app's thread and returns the call.
func perform(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?,
  _ prepare: () throws -> @Sendable (Room) async throws -> Void
) -> rc_status {
  start(room, done, context) {
    let call = try prepare()
    return { room in
      try await call(room)
      return nil
    }
  }
}

/// A call with a result, which the app receives as JSON.
func fetch<Result: Encodable & Sendable>(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?,
  _ prepare: () throws -> @Sendable (Room) async throws -> Result
) -> rc_status {
  start(room, done, context) {
    let call = try prepare()
    return { room in try encoded(try await call(room)) }
  }
}

/// A call whose result is JSON already; nil for none.
func start(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?,
  _ prepare: () throws -> @Sendable (Room) async throws -> String?
) -> rc_status {
  attempt {
    let handle = try RoomHandle.named(room)
    let joined = try handle.joined()
    let body = try prepare()
    try answer(done, context, on: handle.queue) { try await body(joined) }
  }
}

/// Runs a call, and answers it on the queue. Calls of one thread reach the room in their order.
/// - Parameter body: returns the result as JSON; nil for none.
func answer(
  _ done: rc_done?, _ context: UnsafeMutableRawPointer?, on queue: EventQueue,
  _ body: @escaping @Sendable () async throws -> String?
) throws(Refusal) {
  let call = try queue.begin(Completion(done, context))
  // Immediate: it runs here up to its first suspension, where it waits for the room's actor.
  Task.immediate {
    do { queue.finish(call, .success(try await body())) } catch { queue.finish(call, Answer(error)) }
  }
}
