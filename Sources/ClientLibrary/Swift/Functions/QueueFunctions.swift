import RoomCClient

@c @implementation
public func rc_queue_create(_ queue: UnsafeMutablePointer<OpaquePointer?>?) -> rc_status {
  attempt { try give(queue, "queue") { EventQueue() } }
}

@c @implementation
public func rc_queue_fd(_ queue: OpaquePointer?) -> Int32 {
  var descriptor: Int32 = -1
  _ = attempt { descriptor = try EventQueue.named(queue).descriptor }
  return descriptor
}

@c @implementation
public func rc_queue_dispatch(_ queue: OpaquePointer?, _ timeout: Int32) -> Int32 {
  var count: Int32 = 0
  let status = attempt { count = try EventQueue.named(queue).dispatch(timeout: timeout) }
  return status == RC_OK ? count : -status
}

@c @implementation
public func rc_queue_start_thread(_ queue: OpaquePointer?) -> rc_status {
  attempt { try EventQueue.named(queue).startThread() }
}

@c @implementation
public func rc_queue_close(_ queue: OpaquePointer?) -> rc_status { attempt { try EventQueue.named(queue).close() } }

extension EventQueue {
  /// Returns the queue of a handle.
  static func named(_ handle: OpaquePointer?) throws(Refusal) -> EventQueue {
    try HandleTable.shared.find(handle, EventQueue.self, "queue")
  }
}
