import RoomCClient
import RoomClient

@c @implementation
public func rc_room_report(
  _ room: OpaquePointer?, _ checkURL: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  start(room, done, context) {
    let diagnostics = try RoomHandle.named(room).diagnostics()
    let url = try optionalText(checkURL, "check_url")
    return { room in
      String(decoding: try await diagnostics.report(checking: url, trust: room.options.trust).json(), as: UTF8.self)
    }
  }
}

@c @implementation
public func rc_check_network(
  _ queue: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ options: UnsafePointer<rc_room_options>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  attempt {
    let queue = try EventQueue.named(queue)
    let (url, trust) = (try text(url, "url"), try RoomOptions(options, hooks: Delivery(queue)).trust)
    try answer(done, context, on: queue) { try encoded(NetworkReport(try await NetworkCheck.run(url, trust: trust))) }
  }
}
