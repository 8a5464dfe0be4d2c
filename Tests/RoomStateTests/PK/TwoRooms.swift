import RoomProtocol
import Testing

@testable import RoomState

/// Rooms that deliver each other's messages, at once or on request.
struct Rooms {
  var rooms: [RoomName: Stage] = [:]
  /// Messages in flight, in the order sent.
  var mail: [PKMessage] = []

  /// Creates rooms, each with its own host, such as "host-a" in room "a", a viewer "eve-a", and a hidden admin "boss-a".
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

  /// Returns two rooms in a PK to which "a" invited "b".
  static func inPK(_ mode: PKMode = .bridge, duration: Int? = nil, rules: RoomRules = RoomRules()) throws -> Rooms {
    var rooms = try Rooms("a", "b", rules: rules)
    try rooms.invite("a", "b", mode: mode, duration: duration)
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

  mutating func invite(
    _ from: RoomName, _ to: RoomName, user: UserID? = nil, mode: PKMode? = nil, duration: Int? = nil, id: PKID? = nil
  ) throws {
    _ = try self[from].room.invitePK(
      PKInviteParams(room: to, userId: user, mode: mode, duration: duration), id: id ?? "\(from)-\(to)",
      by: .user("host-\(from)"))
    collect()
  }

  /// Accepts the first invitation from another room.
  mutating func accept(_ name: RoomName) throws {
    let invitation = try #require(invitations(name).first { $0.to.room == name })
    try self[name].room.acceptPK(invitation.pkId, by: .user("host-\(name)"))
    collect()
  }

  /// Collects the rooms' outgoing messages; their changes stay to be checked.
  mutating func collect() {
    for name in rooms.keys.sorted() {
      rooms[name]?.gather()
      mail += rooms[name]?.takeMessages() ?? []
    }
  }

  /// Delivers one message.
  mutating func deliver(_ message: PKMessage) {
    if rooms[message.to] != nil {
      rooms[message.to]?.room.receive(message)
    } else if let bounced = message.bounced {
      rooms[bounced.to]?.room.receive(bounced)
    }
    collect()
  }

  /// Delivers all messages, including those sent in response.
  mutating func deliver() {
    collect()
    while !mail.isEmpty { deliver(mail.removeFirst()) }
  }

  mutating func wait(_ milliseconds: Int64, delivering: Bool = true) {
    // In steps, so that messages arrive at their time.
    var left = milliseconds
    while left > 0 {
      for name in rooms.keys.sorted() { rooms[name]?.wait(min(left, 1000)) }
      if delivering { deliver() } else { collect() }
      left -= 1000
    }
  }

  /// Drops the recorded changes.
  mutating func look() {
    collect()
    for name in rooms.keys { rooms[name]?.forget() }
  }

  /// Returns a room's changes since the last look.
  mutating func told(_ name: RoomName) -> [RoomChange] {
    collect()
    defer { rooms[name]?.forget() }
    return self[name].changes.map(\.change)
  }
}
