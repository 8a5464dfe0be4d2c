import RoomCClient
import RoomClient

/// Reads the recipient of a message; nil is all.
private func recipient(_ to: UnsafePointer<CChar>?) throws(Refusal) -> UserID? { try optionalText(to, "to").map { UserID($0) } }

@c @implementation
public func rc_messages_send(
  _ room: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ to: UnsafePointer<CChar>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let text = try RoomClientLibrary.text(text, "text")
    let to = try recipient(to)
    return { room in try await room.messages.send(text, to: to) }
  }
}

@c @implementation
public func rc_messages_barrage(
  _ room: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ to: UnsafePointer<CChar>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let text = try RoomClientLibrary.text(text, "text")
    let to = try recipient(to)
    return { room in try await room.messages.sendBarrage(text, to: to) }
  }
}

@c @implementation
public func rc_messages_like(
  _ room: OpaquePointer?, _ count: Int32, _ to: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let to = try recipient(to)
    return { room in try await room.messages.sendLike(count: Int(count), to: to) }
  }
}

@c @implementation
public func rc_messages_gift(
  _ room: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ count: Int32, _ text: UnsafePointer<CChar>?,
  _ to: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let (type, to) = (try RoomClientLibrary.text(type, "type"), try recipient(to))
    let text = try optionalText(text, "text")
    return { room in try await room.messages.sendGift(type, count: Int(count), text: text, to: to) }
  }
}

@c @implementation
public func rc_messages_custom(
  _ room: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ to: UnsafePointer<CChar>?,
  _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let (type, to) = (try text(type, "type"), try recipient(to))
    let json = try text(json, "json")
    return { room in try await room.messages.send(MessageParams(.custom, type: type, data: json, to: to)) }
  }
}
