import RoomProtocol
import Testing

@testable import RoomState

/// Rooms that carry each other's messages, at once or when told to.
struct Rooms {
  var rooms: [RoomName: Stage] = [:]
  /// Under way, in the order sent.
  var mail: [PKMessage] = []

  /// Each with a host of its own, "host-a" in room "a", an audience "eve-a", and an admin "boss-a" that is not shown.
  init(_ names: RoomName..., rules: RoomRules = RoomRules()) throws {
    for name in names {
      var stage = Stage(name, rules: rules)
      try stage.join("host-\(name)", [.admin, .publish, .subscribe])
      try stage.join("eve-\(name)", .subscribe)
      try stage.join("boss-\(name)", [.admin, .subscribe, .hidden])
      stage.forget()
      rooms[name] = stage
    }
  }

  /// Two rooms in a PK that "a" asked for.
  static func inPK(_ way: PKWay = .bridge, rules: RoomRules = RoomRules()) throws -> Rooms {
    var rooms = try Rooms("a", "b", rules: rules)
    try rooms.invite("a", "b", way: way)
    rooms.deliver()
    try rooms.accept("b")
    rooms.deliver()
    rooms.look()
    return rooms
  }

  subscript(name: RoomName) -> Stage {
    get { rooms[name] ?? Stage(name) }
    set { rooms[name] = newValue }
  }

  func pk(_ name: RoomName) -> PKInfo? { self[name].room.pk.info }
  func invitations(_ name: RoomName) -> [PKInvitation] { self[name].room.pk.invitations }

  mutating func invite(_ from: RoomName, _ to: RoomName, user: UserID? = nil, way: PKWay? = nil, id: PKID? = nil) throws {
    _ = try self[from].room.invitePK(
      PKInviteParams(room: to, userId: user, way: way), id: id ?? "\(from)-\(to)", by: .user("host-\(from)"))
    collect()
  }

  /// Accepts the first invitation that is not the room's own.
  mutating func accept(_ name: RoomName) throws {
    let invitation = try #require(invitations(name).first { $0.to.room == name })
    try self[name].room.acceptPK(invitation.pkId, by: .user("host-\(name)"))
    collect()
  }

  /// Puts what the rooms have to say in the mail; what they told stays to be looked at.
  mutating func collect() {
    for name in rooms.keys.sorted() {
      rooms[name]?.gather()
      mail += rooms[name]?.takeMessages() ?? []
    }
  }

  /// Carries one message.
  mutating func deliver(_ message: PKMessage) {
    if rooms[message.to] != nil {
      rooms[message.to]?.room.receive(message)
    } else if let bounced = message.bounced {
      rooms[bounced.to]?.room.receive(bounced)
    }
    collect()
  }

  /// Carries all there is, and what comes of it.
  mutating func deliver() {
    collect()
    while !mail.isEmpty { deliver(mail.removeFirst()) }
  }

  mutating func wait(_ milliseconds: Int64, delivering: Bool = true) {
    // In pieces, so that what is sent is heard in time.
    var left = milliseconds
    while left > 0 {
      for name in rooms.keys.sorted() { rooms[name]?.wait(min(left, 1000)) }
      if delivering { deliver() } else { collect() }
      left -= 1000
    }
  }

  /// Forgets what was told.
  mutating func look() {
    collect()
    for name in rooms.keys { rooms[name]?.forget() }
  }

  /// What a room told since the last look, and its audiences.
  mutating func told(_ name: RoomName) -> [RoomChange] {
    collect()
    defer { rooms[name]?.forget() }
    return self[name].changes.map(\.change)
  }
}
