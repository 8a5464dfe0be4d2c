import RoomCClient
import RoomClient

@c @implementation
public func rc_pk_invite(
  _ room: OpaquePointer?, _ otherRoom: UnsafePointer<CChar>?, _ userId: UnsafePointer<CChar>?, _ mode: rc_pk_mode,
  _ duration: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let other = RoomName(try text(otherRoom, "other_room"))
    let user = try optionalText(userId, "user_id").map { UserID($0) }
    guard mode == RC_PK_BRIDGE || mode == RC_PK_MOVE else { throw Refusal.argument("mode", "is \(mode.rawValue), not 0 or 1") }
    let mode: PKMode = mode == RC_PK_MOVE ? .move : .bridge
    let seconds = try integer(duration, "duration", in: 0...86_400)
    return { room in try await room.pk.invite(user, in: other, mode: mode, duration: seconds == 0 ? nil : seconds) }
  }
}

@c @implementation
public func rc_pk_invite_rooms(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let params = try RoomClientLibrary.json(json, "json", as: PKInviteParams.self)
    return { room in try await room.pk.invite(params) }
  }
}

@c @implementation
public func rc_pk_remove(
  _ room: OpaquePointer?, _ otherRoom: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let other = RoomName(try text(otherRoom, "other_room"))
    return { room in try await room.pk.remove(other) }
  }
}

@c @implementation
public func rc_pk_mute(
  _ room: OpaquePointer?, _ otherRoom: UnsafePointer<CChar>?, _ muted: Bool, _ forAll: Bool, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let other = RoomName(try text(otherRoom, "other_room"))
    return { room in try await room.pk.mute(muted, anchorOf: other, forAll: forAll) }
  }
}

@c @implementation
public func rc_pk_cancel(
  _ room: OpaquePointer?, _ pkId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let pk = PKID(try text(pkId, "pk_id"))
    return { room in try await room.pk.cancel(pk) }
  }
}

@c @implementation
public func rc_pk_accept(
  _ room: OpaquePointer?, _ pkId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let pk = PKID(try text(pkId, "pk_id"))
    return { room in try await room.pk.accept(pk) }
  }
}

@c @implementation
public func rc_pk_reject(
  _ room: OpaquePointer?, _ pkId: UnsafePointer<CChar>?, _ reason: UnsafePointer<CChar>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let pk = PKID(try text(pkId, "pk_id"))
    let reason = try optionalText(reason, "reason")
    return { room in try await room.pk.reject(pk, reason: reason) }
  }
}

@c @implementation
public func rc_pk_match(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let params = try json == nil ? PKMatchParams() : RoomClientLibrary.json(json, "json", as: PKMatchParams.self)
    return { room in try await room.pk.match(params) }
  }
}

@c @implementation
public func rc_pk_cancel_match(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.pk.cancelMatch() } }
}

@c @implementation
public func rc_pk_mute_peer(
  _ room: OpaquePointer?, _ muted: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.pk.mutePeer(muted) } }
}

@c @implementation
public func rc_pk_set_score(
  _ room: OpaquePointer?, _ score: Int64, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.pk.setScore(Int(score)) } }
}

@c @implementation
public func rc_pk_add_gift(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let gift = try RoomClientLibrary.json(json, "json", as: PKGiftParams.self)
    return { room in try await room.pk.add(gift) }
  }
}

@c @implementation
public func rc_pk_rematch(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) { { room in try await room.pk.rematch() } }
}

@c @implementation
public func rc_pk_extend(
  _ room: OpaquePointer?, _ seconds: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.pk.extend(by: Int(seconds)) } }
}

@c @implementation
public func rc_pk_resume(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) { { room in try await room.pk.resume() } }
}

@c @implementation
public func rc_pk_quit(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.pk.quit() } }
}
