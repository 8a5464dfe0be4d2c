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

  @Test("a gift counts once, also after the room was restored, and points come from the rules or the call")
  func gifts() throws {
    var rules = PKRules()
    rules.gifts = ["rose": 2]
    var rooms = try battle(of: 3, duration: 60, rules: rules)
    func add(_ params: PKGiftParams) throws -> PKGiftResult { try rooms["b"].room.addPKGift(params, by: .api) }
    #expect(try add(PKGiftParams(giftId: "1", gift: "rose", count: 3)) == PKGiftResult(score: 6, counted: true))
    #expect(try add(PKGiftParams(giftId: "2", points: 50)) == PKGiftResult(score: 56, counted: true))
    rooms["b"].room = rooms["b"].room.stored
    #expect(try add(PKGiftParams(giftId: "1", gift: "rose", count: 3)) == PKGiftResult(score: 56, counted: false))
    #expect(throws: RoomError.self) { try add(PKGiftParams(giftId: "3", gift: "car")) }
    #expect(throws: RoomError.self) { try add(PKGiftParams(giftId: "3")) }
    // What was refused has not used its id.
    #expect(try add(PKGiftParams(giftId: "3", points: 1)) == PKGiftResult(score: 57, counted: true))
    rooms.wait(62_000)
    #expect(throws: RoomError.self) { try add(PKGiftParams(giftId: "4", points: 1)) }
    #expect(ends(&rooms, "a").first?.result?.scores.map(\.score) == [0, 57, 0])
  }

  @Test("a rematch invites the same rooms with the same teams, rules and duration, whoever calls it")
  func rematch() throws {
    var rules = PKRules()
    rules.overtime = 7
    var rooms = try battle(of: 3, teams: [1, 2, 1], duration: 60, rules: rules)
    #expect(throws: RoomError.self) { try rooms["c"].room.rematchPK(id: "again", by: .api) }
    rooms.wait(62_000)
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil && rooms.pk("c") == nil)
    #expect(throws: RoomError.self) { try rooms["d"].room.rematchPK(id: "again", by: .api) }
    _ = try rooms["c"].room.rematchPK(id: "again", by: .user("host-c"))
    rooms.deliver()
    for name in ["a", "b"] as [RoomName] {
      try rooms.accept(name)
      rooms.deliver()
    }
    let members = rooms.pk("b")?.members ?? []
    #expect(members.map(\.room) == ["c", "a", "b"] && members.map(\.team) == [1, 1, 2])
    #expect(rooms.pk("a")?.rules == rules)
    #expect(rooms.pk("a")?.endsAt == (rooms.pk("a")?.startedAt ?? 0) + 60_000)
  }

  @Test("a PK of two is repeated as a PK of two")
  func rematchOfTwo() throws {
    var rooms = try Rooms.inPK(duration: 60)
    rooms.wait(61_000)
    _ = try rooms["b"].room.rematchPK(id: "again", by: .api)
    rooms.deliver()
    #expect(rooms.invitations("a").first?.terms == nil && rooms.invitations("a").first?.duration == 60)
  }

  @Test("rooms that are kept apart never meet, whichever has the other one on its list")
  func apart() throws {
    for (keeper, other) in [("c", "d"), ("d", "c")] as [(RoomName, RoomName)] {
      var rooms = try battle(of: 3)
      rooms[keeper].room.rules.pkApart = [other]
      // The others learn it with the next state.
      rooms.wait(6_000)
      if keeper == "c" {
        #expect(throws: RoomError.self) { try invite(&rooms, "a", "d") }
      } else {
        try invite(&rooms, "a", "d")
        #expect(rooms.invitations("d").isEmpty && rooms.invitations("a").isEmpty)
      }
      #expect(members(rooms, "a") == ["a", "b", "c"])
    }
    // A list that changes during a PK ends it for the room that has the list.
    var rooms = try battle(of: 3)
    rooms.look()
    rooms["c"].room.rules.pkApart = ["b"]
    rooms["c"].room.keepApart()
    rooms.deliver()
    #expect(ends(&rooms, "c").map(\.reason) == [.apart])
    #expect(members(rooms, "a") == ["a", "b"])
  }

  @Test("rooms that are kept apart do not meet when both accept at the same time")
  func apartAtOnce() throws {
    var rooms = try battle(of: 2)
    rooms["d"].room.rules.pkApart = ["c"]
    var params = PKInviteParams(room: "c")
    params.others = [PKInvitee(room: "d")]
    params.pkId = "battle"
    _ = try rooms["a"].room.invitePK(params, id: "more", by: .api)
    rooms.deliver()
    try rooms.accept("c")
    try rooms.accept("d")
    rooms.deliver()
    rooms.wait(12_000)
    #expect(members(rooms, "a") == ["a", "b", "c"] && rooms.pk("d") == nil)
  }

  @Test("rooms that are invited together accept in any order")
  func anyOrder() throws {
    for order in [["b", "c", "d"], ["d", "c", "b"], ["c", "b", "d"]] as [[RoomName]] {
      var rooms = try Rooms("a", "b", "c", "d")
      var params = PKInviteParams(room: "b")
      params.others = [PKInvitee(room: "c"), PKInvitee(room: "d")]
      _ = try rooms["a"].room.invitePK(params, id: "battle", by: .api)
      rooms.deliver()
      for name in order { try rooms.accept(name) }
      for name in order { rooms[name].wait(10) }
      rooms.deliver()
      rooms.wait(1000)
      for name in ["a"] + order { #expect(Set(members(rooms, name)) == ["a", "b", "c", "d"], "\(name) of \(order)") }
      #expect(rooms.invitations("a").isEmpty)
    }
  }

  @Test("a room that is invited with others rejects after the PK has begun")
  func lateRejection() throws {
    var rooms = try Rooms("a", "b", "c")
    var params = PKInviteParams(room: "b")
    params.others = [PKInvitee(room: "c")]
    _ = try rooms["a"].room.invitePK(params, id: "battle", by: .api)
    rooms.deliver()
    try rooms.accept("c")
    rooms.deliver()
    let invitation = try #require(rooms.invitations("b").first)
    try rooms["b"].room.rejectPK(invitation.pkId, by: .api)
    rooms.deliver()
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)
    #expect(members(rooms, "a") == ["a", "c"] && members(rooms, "c") == ["a", "c"] && rooms.pk("b") == nil)
  }
}
