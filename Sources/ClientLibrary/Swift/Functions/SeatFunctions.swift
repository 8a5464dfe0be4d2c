import RoomCClient
import RoomClient

/// Reads the index of a seat; nil is any seat.
private func anySeat(_ index: Int32) throws(Refusal) -> Int? { index == -1 ? nil : try integer(index, "index", in: 0...1023) }

/// Reads a switch: 1, 0, or -1 to keep.
private func anySwitch(_ value: Int32, _ name: String) throws(Refusal) -> Bool? {
  value == -1 ? nil : try integer(value, name, in: 0...1) == 1
}

@c @implementation
public func rc_seats_take(
  _ room: OpaquePointer?, _ index: Int32, _ tracks: UnsafePointer<OpaquePointer?>?, _ count: Int, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let seat = try anySeat(index)
    let tracks = try TrackHandle.named(tracks, count)
    return { room in SeatResult(index: try await room.seats.take(seat, publishing: tracks)) }
  }
}

@c @implementation
public func rc_seats_leave(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.seats.leave() } }
}

@c @implementation
public func rc_seats_kick(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    return { room in try await room.seats.kick(user) }
  }
}

@c @implementation
public func rc_seats_set(
  _ room: OpaquePointer?, _ index: Int32, _ locked: Int32, _ muted: Int32, _ video: Int32, _ audio: Int32, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let seat = try integer(index, "index", in: 0...1023)
    let (locked, muted) = (try anySwitch(locked, "locked"), try anySwitch(muted, "muted"))
    let (video, audio) = (try anySwitch(video, "video"), try anySwitch(audio, "audio"))
    return { room in try await room.seats.set(seat, locked: locked, muted: muted, video: video, audio: audio) }
  }
}

@c @implementation
public func rc_seats_set_layout(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let layout = try RoomClientLibrary.json(json, "json", as: LayoutParams.self)
    return { room in try await room.seats.setLayout(layout.type, canvas: layout.canvas, frames: layout.frames) }
  }
}

@c @implementation
public func rc_seats_request(
  _ room: OpaquePointer?, _ index: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let seat = try anySeat(index)
    return { room in try await room.seats.request(seat) }
  }
}

@c @implementation
public func rc_seats_cancel_request(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.seats.cancelRequest() } }
}

@c @implementation
public func rc_seats_list_requests(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) { { room in try await room.seats.listRequests() } }
}

@c @implementation
public func rc_seats_accept(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    return { room in SeatResult(index: try await room.seats.accept(user)) }
  }
}

@c @implementation
public func rc_seats_reject(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    return { room in try await room.seats.reject(user) }
  }
}

@c @implementation
public func rc_seats_invite(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ index: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    let seat = try anySeat(index)
    return { room in try await room.seats.invite(user, to: seat) }
  }
}

@c @implementation
public func rc_seats_cancel_invitation(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    return { room in try await room.seats.cancelInvitation(of: user) }
  }
}

@c @implementation
public func rc_seats_accept_invitation(
  _ room: OpaquePointer?, _ tracks: UnsafePointer<OpaquePointer?>?, _ count: Int, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let tracks = try TrackHandle.named(tracks, count)
    return { room in SeatResult(index: try await room.seats.acceptInvitation(publishing: tracks)) }
  }
}

@c @implementation
public func rc_seats_reject_invitation(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.seats.rejectInvitation() } }
}
