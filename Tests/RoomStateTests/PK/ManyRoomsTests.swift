import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomState

@Suite("PKs of several rooms")
struct ManyRoomsTests {
  private static let names: [RoomName] = ["a", "b", "c", "d", "e"]

  /// Returns a PK that "a" began, with the rooms after it as guests.
  private func battle(
    of count: Int, teams: [Int]? = nil, duration: Int? = nil, rules: PKRules? = nil
  ) throws -> Rooms {
    var rooms = try Rooms("a", "b", "c", "d", "e")
    let invited = (1..<count).map { PKInvitee(room: Self.names[$0], team: teams?[$0]) }
    var params = PKInviteParams(room: invited[0].room, duration: duration)
    (params.team, params.ownTeam, params.rules) = (invited[0].team, teams?[0], rules)
    params.others = Array(invited.dropFirst())
    _ = try rooms["a"].room.invitePK(params, id: "battle", by: .user("host-a"))
    rooms.deliver()
    for invitee in invited {
      try rooms.accept(invitee.room)
      rooms.deliver()
    }
    rooms.wait(1000)
    return rooms
  }

  private func members(_ rooms: Rooms, _ name: RoomName) -> [RoomName] { rooms.pk(name)?.members?.map(\.room) ?? [] }

  private func invite(_ rooms: inout Rooms, _ from: RoomName, _ to: RoomName) throws {
    var params = PKInviteParams(room: to)
    params.pkId = rooms.pk(from)?.pkId
    _ = try rooms[from].room.invitePK(params, id: "\(from)+\(to)", by: .user("host-\(from)"))
    rooms.deliver()
  }

  /// The ends of PKs in a room since the last look.
  private func ends(_ rooms: inout Rooms, _ name: RoomName) -> [PKEndedData] {
    rooms.told(name).compactMap { change in if case .pkEnded(let data) = change { data } else { nil } }
  }

  @Test("several invited rooms join one PK in the order in which they accept")
  func several() throws {
    var rooms = try battle(of: 4)
    for name in Self.names.prefix(4) {
      #expect(members(rooms, name) == ["a", "b", "c", "d"])
      #expect(rooms.pk(name)?.pkId == "battle")
      #expect(rooms.pk(name)?.members?.allSatisfy(\.connected) == true)
    }
    #expect(rooms.pk("a")?.room == "b" && rooms.pk("b")?.room == "a" && rooms.pk("d")?.room == "a")
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("d").isEmpty)
    let began = rooms.told("c").compactMap { change in if case .pkBegan(let info) = change { info.members?.count } else { nil }
    }
    #expect(began == [3])
  }

  @Test("a room joins a PK of two, whichever of both invites it")
  func oneMore() throws {
    for inviter in ["a", "b"] as [RoomName] {
      var rooms = try Rooms("a", "b", "c")
      try rooms.invite("a", "b")
      rooms.deliver()
      try rooms.accept("b")
      rooms.deliver()
      #expect(rooms.pk("a")?.members == nil && rooms.pk("b")?.members == nil)
      try rooms["b"].room.setPKScore(5, by: .user("host-b"))
      rooms.deliver()
      try invite(&rooms, inviter, "c")
      #expect(rooms.invitations("c").first?.terms?.rooms.sorted { $0.rawValue < $1.rawValue } == ["a", "b"])
      try rooms.accept("c")
      rooms.deliver()
      for name in ["a", "b", "c"] as [RoomName] {
        #expect(members(rooms, name) == ["a", "b", "c"])
        #expect(rooms.pk(name)?.members?.map(\.score) == [0, 5, 0])
      }
      #expect(rooms.pk("c")?.members?.last?.invitedBy == inviter)
    }
  }

  @Test("a room that leaves ends the PK for itself alone; the last one is not left in it")
  func leaving() throws {
    var rooms = try battle(of: 4)
    try rooms["a"].room.quitPK(by: .user("host-a"))
    rooms.deliver()
    #expect(rooms.pk("a") == nil)
    for name in ["b", "c", "d"] as [RoomName] { #expect(members(rooms, name) == ["b", "c", "d"]) }
    rooms["c"].room.close()
    rooms.deliver()
    #expect(members(rooms, "b") == ["b", "d"] && members(rooms, "d") == ["b", "d"])
    rooms.look()
    try rooms["d"].room.quitPK(by: .api)
    rooms.deliver()
    let ended = ends(&rooms, "b")
    #expect(ended.map(\.reason) == [.quit] && ended.first?.room == "d")
  }

  @Test("an anchor that is gone for longer than the grace time leaves alone")
  func lostAnchor() throws {
    var rooms = try battle(of: 3)
    rooms["b"].room.setConnected("host-b", false)
    rooms.deliver()
    #expect(rooms.pk("a")?.members?.map(\.connected) == [true, false, true])
    rooms.wait(21_000)
    #expect(rooms.pk("b") == nil)
    #expect(members(rooms, "a") == ["a", "c"] && members(rooms, "c") == ["a", "c"])
  }

  @Test("another room leads when the first one is silent, and the first one again when it is back")
  func silentLeader() throws {
    var rooms = try battle(of: 4)
    let away = rooms.rooms["a"]
    rooms.rooms["a"] = nil
    for _ in 0..<17 {
      for name in ["b", "c", "d"] as [RoomName] { rooms[name].wait(1000) }
      rooms.collect()
      // The messages to the silent room are lost, rather than bounced.
      while let message = rooms.mail.first {
        rooms.mail.removeFirst()
        if message.to != "a" { rooms.deliver(message) }
      }
    }
    #expect(rooms.pk("b")?.members?.map(\.connected) == [false, true, true, true])
    rooms.rooms["a"] = away
    rooms["a"].wait(17_000)
    rooms.deliver()
    #expect(rooms.pk("b")?.members?.map(\.connected) == [true, true, true, true])
    rooms["a"].room.rules.pkRooms = 5
    for name in Self.names { rooms[name].room.rules.pkRooms = 5 }
    try invite(&rooms, "d", "e")
    try rooms.accept("e")
    rooms.deliver()
    for name in Self.names { #expect(members(rooms, name) == ["a", "b", "c", "d", "e"]) }
  }

  @Test("teams win together; the result is the same everywhere, and the PK lasts on for the punishment")
  func result() throws {
    var rooms = try battle(of: 4, teams: [0, 0, 1, 1], duration: 60, rules: PKRules(punishment: 30))
    for (name, score) in zip(Self.names, [10, 20, 25, 4]) {
      try rooms[name].room.setPKScore(score, by: .user("host-\(name)"))
    }
    rooms.deliver()
    rooms.wait(60_000)
    for name in Self.names.prefix(4) {
      let result = try #require(rooms.pk(name)?.result)
      #expect(result.winners == ["a", "b"] && !result.tie)
      #expect(result.scores.map(\.score) == [10, 20, 25, 4])
    }
    #expect(throws: RoomError.self) { try rooms["a"].room.setPKScore(99, by: .user("host-a")) }
    rooms.look()
    rooms.wait(31_000)
    for name in Self.names.prefix(4) {
      #expect(rooms.pk(name) == nil)
      let ended = ends(&rooms, name)
      #expect(ended.map(\.reason) == [.time] && ended.first?.result?.winners == ["a", "b"])
    }
  }

  @Test("a score in the last seconds postpones the end")
  func overtime() throws {
    var rooms = try battle(of: 3, duration: 60, rules: PKRules(overtime: 10))
    let end = try #require(rooms.pk("a")?.endsAt)
    rooms.wait(54_000)
    try rooms["c"].room.setPKScore(1, by: .user("host-c"))
    rooms.deliver()
    for name in Self.names.prefix(3) { #expect(try #require(rooms.pk(name)?.endsAt) > end) }
    rooms.wait(11_000)
    for name in Self.names.prefix(3) { #expect(rooms.pk(name) == nil) }
  }

  @Test("only the room that invited another one, and the first one, removes it or mutes it for all")
  func removal() throws {
    var rooms = try battle(of: 3)
    try invite(&rooms, "b", "d")
    try rooms.accept("d")
    rooms.deliver()
    #expect(throws: RoomError.self) { try rooms["c"].room.removeFromPK("d", by: .api) }
    #expect(throws: RoomError.self) { try rooms["c"].room.mutePKPeer(true, in: "d", forAll: true, by: .api) }
    try rooms["c"].room.mutePKPeer(true, in: "b", by: .api)
    try rooms["b"].room.mutePKPeer(true, in: "d", forAll: true, by: .api)
    rooms.deliver()
    #expect(rooms.pk("c")?.members?.map(\.muted) == [false, true, false, true])
    #expect(rooms.pk("a")?.members?.map(\.muted) == [false, false, false, true])
    #expect(rooms.pk("b")?.members?.map(\.mutedForAll) == [false, false, false, true])
    rooms.look()
    try rooms["b"].room.removeFromPK("d", by: .api)
    rooms.deliver()
    let ended = ends(&rooms, "d").map(\.reason)
    #expect(ended == [.removed])
    #expect(members(rooms, "c") == ["a", "b", "c"])
    // A removed room may be invited again.
    try invite(&rooms, "a", "d")
    try rooms.accept("d")
    rooms.deliver()
    #expect(members(rooms, "d") == ["a", "b", "c", "d"])
  }

  @Test("a PK has at most as many rooms as its rules say, those invited included")
  func limit() throws {
    var rooms = try battle(of: 3, rules: PKRules(rooms: 3))
    let error = #expect(throws: RoomError.self) { try invite(&rooms, "b", "d") }
    #expect(error?.code == .pkInviteFailed)
    var params = PKInviteParams(room: "e")
    params.pkId = "battle"
    #expect(throws: RoomError.self) { try rooms["d"].room.invitePK(params, id: "x", by: .api) }
  }

  @Test("a PK continues after a room was restored")
  func restored() throws {
    var rooms = try battle(of: 3, duration: 120)
    try rooms["a"].room.setPKScore(7, by: .api)
    rooms.deliver()
    var room = rooms["a"].room.stored
    room.restore(at: room.clock + 4000)
    for user in ["host-a", "eve-a", "boss-a"] as [UserID] { room.setConnected(user, true) }
    rooms["a"].room = room
    for name in ["b", "c"] as [RoomName] { rooms[name].wait(4000) }
    rooms.deliver()
    rooms.wait(20_000)
    for name in Self.names.prefix(3) {
      #expect(rooms.pk(name)?.members?.map(\.score) == [7, 0, 0])
      #expect(rooms.pk(name)?.members?.allSatisfy(\.connected) == true)
    }
  }
}
