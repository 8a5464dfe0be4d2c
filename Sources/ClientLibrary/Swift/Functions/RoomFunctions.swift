import RoomCClient
import RoomClient

@c @implementation
public func rc_room_connect(
  _ queue: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ token: UnsafePointer<CChar>?,
  _ options: UnsafePointer<rc_room_options>?, _ onEvent: rc_on_event?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?, _ room: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (url, token) = (try text(url, "url"), try text(token, "token"))
    let queue = try EventQueue.named(queue)
    let hooks = Delivery(queue)
    let options = try RoomOptions(options, hooks: hooks)
    try open(room, "room", on: queue, hooks, onEvent, done, context, backlog: options.eventBacklog) {
      try await Room.connect(to: url, token: token, options: options)
    }
  }
}

@c @implementation
public func rc_pk_move(
  _ room: OpaquePointer?, _ onEvent: rc_on_event?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?,
  _ away: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let handle = try RoomHandle.named(room)
    let joined = try handle.joined()
    try open(away, "away", on: handle.queue, handle.hooks, onEvent, done, context, backlog: joined.options.eventBacklog) {
      try await joined.pk.move()
    }
  }
}

@c @implementation
public func rc_pk_return_home(
  _ away: OpaquePointer?, _ token: UnsafePointer<CChar>?, _ onEvent: rc_on_event?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?, _ home: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let handle = try RoomHandle.named(away)
    let joined = try handle.joined()
    let token = try optionalText(token, "token")
    try open(home, "home", on: handle.queue, handle.hooks, onEvent, done, context, backlog: joined.options.eventBacklog) {
      try await joined.pk.returnHome(token: token)
    }
  }
}

/// Creates the handle of a room that `join` joins.
private func open(
  _ result: UnsafeMutablePointer<OpaquePointer?>?, _ name: String, on queue: EventQueue, _ hooks: Delivery,
  _ onEvent: rc_on_event?,
  _ done: rc_done?, _ context: UnsafeMutableRawPointer?, backlog: Int,
  _ join: @escaping @Sendable () async throws -> Room
) throws {
  guard let result else { throw Refusal.argument(name, "is NULL") }
  let call = try queue.begin(Completion(done, context))
  let handle = RoomHandle(queue, hooks, onEvent.map { RoomEvents($0, context, on: queue, backlog: backlog) })
  let number = HandleTable.shared.add(handle)
  // Before the join: its callback may run at once, on another thread.
  result.pointee = OpaquePointer(bitPattern: number)
  handle.join(as: number, call, join)
}

@c @implementation
public func rc_room_leave(_ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?) -> rc_status {
  perform(room, done, context) { { room in await room.leave() } }
}

@c @implementation
public func rc_room_events_dropped(_ room: OpaquePointer?) -> UInt64 {
  var count: UInt64 = 0
  _ = attempt { count = try RoomHandle.named(room).eventsDropped }
  return count
}

@c @implementation
public func rc_room_state(
  _ room: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt {
    let handle = try RoomHandle.named(room)
    try give(try encoded(StateReport((try? handle.joined())?.state ?? .connecting)), to: json, "json")
  }
}

@c @implementation
public func rc_room_snapshot(
  _ room: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt { try give(try RoomHandle.named(room).joined().snapshot.map { try encoded($0) } ?? "{}", to: json, "json") }
}

@c @implementation
public func rc_room_participants(
  _ room: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt {
    let room = try RoomHandle.named(room).joined()
    try give(try encoded(ParticipantsReport(me: room.me, others: room.participants)), to: json, "json")
  }
}

@c @implementation
public func rc_room_limits(
  _ room: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt { try give(try encoded(try RoomHandle.named(room).joined().limits), to: json, "json") }
}

@c @implementation
public func rc_room_subscribe(
  _ room: OpaquePointer?, _ trackIds: UnsafePointer<UnsafePointer<CChar>?>?, _ trackCount: Int,
  _ userIds: UnsafePointer<UnsafePointer<CChar>?>?, _ userCount: Int, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let tracks = try texts(trackIds, trackCount, "track_ids").map { TrackID($0) }
    let users = try texts(userIds, userCount, "user_ids").map { UserID($0) }
    return { room in try await room.subscribe(trackIds: tracks, userIds: users) }
  }
}

@c @implementation
public func rc_room_unsubscribe(
  _ room: OpaquePointer?, _ trackIds: UnsafePointer<UnsafePointer<CChar>?>?, _ trackCount: Int,
  _ userIds: UnsafePointer<UnsafePointer<CChar>?>?, _ userCount: Int, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let tracks = try texts(trackIds, trackCount, "track_ids").map { TrackID($0) }
    let users = try texts(userIds, userCount, "user_ids").map { UserID($0) }
    return { room in try await room.unsubscribe(trackIds: tracks, userIds: users) }
  }
}

@c @implementation
public func rc_room_set_receiving(
  _ room: OpaquePointer?, _ enabled: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.setReceiving(enabled) } }
}

@c @implementation
public func rc_room_set_audio_levels(
  _ room: OpaquePointer?, _ enabled: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in try await room.setAudioLevels(enabled) } }
}

@c @implementation
public func rc_room_kick(
  _ room: OpaquePointer?, _ userId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let user = UserID(try text(userId, "user_id"))
    return { room in try await room.kick(userId: user) }
  }
}

@c @implementation
public func rc_room_play_urls(_ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?) -> rc_status {
  fetch(room, done, context) { { room in try await room.playURLs() } }
}

@c @implementation
public func rc_room_play_urls_of(
  _ room: OpaquePointer?, _ width: Int32, _ height: Int32, _ fps: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    func given(_ value: Int32, _ name: String) throws(Refusal) -> Int? {
      value == 0 ? nil : try integer(value, name, in: 1...65_536)
    }
    let picture = PlayPicture(
      width: try given(width, "width"), height: try given(height, "height"), fps: try given(fps, "fps"))
    return { room in try await room.playURLs(picture) }
  }
}

@c @implementation
public func rc_room_network_changed(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) { { room in await room.networkChanged() } }
}

@c @implementation
public func rc_room_statistics(_ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?) -> rc_status {
  fetch(room, done, context) { { room in StatisticsReport(await room.statistics()) } }
}

@c @implementation
public func rc_room_set_statistics(
  _ room: OpaquePointer?, _ interval: Int32, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let interval = interval == 0 ? nil : Duration.milliseconds(try integer(interval, "interval_ms", in: 100...86_400_000))
    return { room in await room.setStatisticsInterval(interval) }
  }
}
