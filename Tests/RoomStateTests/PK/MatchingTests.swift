import Foundation
import RoomProtocol
import Testing

@testable import RoomState

@Suite("Finding an opponent")
struct MatchingTests {
  private static func seekers(_ params: PKMatchParams = PKMatchParams()) throws -> Rooms {
    var rooms = try Rooms("a", "b")
    for name: RoomName in ["a", "b"] { try seek(name, in: &rooms, params) }
    return rooms
  }

  private static func seek(_ name: RoomName, in rooms: inout Rooms, _ params: PKMatchParams = PKMatchParams()) throws {
    _ = try rooms[name].room.matchPK(params, ticket: "t-\(name)", by: .user("boss-\(name)"))
    rooms.look()
  }

  /// Tells a room that it is matched.
  private func tell(_ name: RoomName, of other: RoomName, _ id: PKID = "1", in rooms: inout Rooms) {
    rooms.deliver(PKMessage(pkId: id, from: other, to: name, body: .matched))
  }

  /// What the room asked of the queue since the last look.
  private func orders(_ name: RoomName, _ rooms: inout Rooms) -> [Effect] {
    rooms.collect()
    return rooms[name].effects.filter {
      switch $0 {
      case .enterMatching, .leaveMatching: true
      default: false
      }
    }
  }

  @Test("both rooms' admins learn of the search, and of its end when the PK begins; nobody sees an invitation")
  func begin() throws {
    var rooms = try Rooms("a", "b")
    let now = rooms["a"].room.clock
    let params = PKMatchParams(duration: 60, tags: ["x", "b", "x"], level: 3, levels: 1...5, wait: 30)
    let result = try rooms["a"].room.matchPK(params, ticket: "t-a", by: .user("boss-a"))
    let ticket = PKTicket("t-a", params, host: "host-a", by: "boss-a", at: now)
    #expect(result == PKMatchResult(ticket: "t-a", expiresAt: now + 30_000) && ticket.tags == ["b", "x"])
    rooms.collect()
    #expect(rooms["a"].changes.map(\.audience) == [.admins])
    #expect(rooms["a"].effects == [.enterMatching(ticket, after: nil)])
    #expect(rooms.told("a") == [.pkMatching(ticket)])
    #expect(rooms["a"].room.snapshot(for: "boss-a").pkMatching == ticket)
    #expect(rooms["a"].room.snapshot(for: "eve-a").pkMatching == nil)
    try Self.seek("b", in: &rooms, PKMatchParams(duration: 60))

    tell("b", of: "a", in: &rooms)
    tell("a", of: "b", in: &rooms)
    #expect(rooms["a"].room.snapshot(for: "boss-a").pkInvitations == [])
    rooms.deliver()
    let infoA = PKInfo(
      pkId: "1", room: "b", userId: "host-b", host: "host-a", inviter: true, startedAt: now, endsAt: now + 60_000)
    let infoB = PKInfo(
      pkId: "1", room: "a", userId: "host-a", host: "host-b", inviter: false, startedAt: now, endsAt: now + 60_000)
    #expect(orders("a", &rooms) == [.leaveMatching("t-a")] && orders("b", &rooms) == [.leaveMatching("t-b")])
    #expect(
      rooms.told("a") == [
        .pkMatchEnded(PKMatchEndedData(ticket: "t-a", outcome: .matched, pk: infoA)), .pkBegan(infoA),
      ])
    #expect(
      rooms.told("b") == [
        .pkMatchEnded(PKMatchEndedData(ticket: "t-b", outcome: .matched, pk: infoB)), .pkBegan(infoB),
      ])
    #expect(rooms["a"].room.snapshot(for: nil).pkMatching == nil)
  }

  @Test("invalid searches fail")
  func refusals() throws {
    var rooms = try Rooms("a", "b")
    var stage = rooms["a"]
    func seek(_ params: PKMatchParams, by user: UserID = "host-a") -> (inout RoomState) throws(RoomError) -> Void {
      { state throws(RoomError) in _ = try state.matchPK(params, ticket: "t", by: .user(user)) }
    }
    stage.refused(.noPermission, "admin", seek(.init(), by: "eve-a"))
    stage.refused(.pkInviteFailed, "duration", seek(.init(duration: 9)))
    stage.refused(.pkInviteFailed, "tags", seek(.init(tags: Array(repeating: "x", count: 9))))
    stage.refused(.pkInviteFailed, "tags", seek(.init(tags: [""])))
    stage.refused(.pkInviteFailed, "tags", seek(.init(tags: [String(repeating: "x", count: 65)])))
    for level in [-1, 1_000_001, .min, .max] { stage.refused(.pkInviteFailed, "level", seek(.init(level: level))) }
    for levels in [[], [1], [2, 1], [-1, 1], [0, .max], [1, 2, 3]] {
      var params = PKMatchParams()
      params.levels = levels
      stage.refused(.pkInviteFailed, "levels", seek(params))
    }
    for wait in [4, 301, .max, .min] { stage.refused(.pkInviteFailed, "wait", seek(.init(wait: wait))) }
    stage.refused(.pkCancelFailed) { room throws(RoomError) in try room.cancelMatch(by: .api) }
    stage.refused(.noPermission) { room throws(RoomError) in try room.cancelMatch(by: .user("eve-a")) }
    stage.room.setConnected("host-a", false)
    stage.refused(.pkInviteFailed, "seat 0", seek(.init(), by: "boss-a"))
    stage.room.setConnected("host-a", true)
    rooms["a"] = stage
    try rooms.invite("a", "b")
    stage = rooms["a"]
    stage.refused(.pkInviteFailed, "cancelPK", seek(.init()))
    try stage.room.cancelPK("a-b", by: .api)
    _ = try stage.room.matchPK(.init(), ticket: "t", by: .api)
    stage.refused(.pkInviteFailed, "cancelMatch", seek(.init()))
    stage.refused(.pkInviteFailed, "cancelMatch") { room throws(RoomError) in
      _ = try room.invitePK(PKInviteParams(room: "b"), id: "2", by: .api)
    }
    var running = try Rooms.inPK()
    running["a"].refused(.roomInPK, "in a PK", seek(.init()))
  }

  @Test("the search ends by a call, in time, and when the host leaves the seat or the room")
  func ends() throws {
    let ends: [(PKMatchOutcome, UserID, (inout RoomState) throws -> Void)] = [
      (.cancelled, "boss-a", { try $0.cancelMatch(by: .user("boss-a")) }),
      (.timedOut, "", { $0.advance(to: $0.clock + 60_000) }),
      (.cancelled, "host-a", { try $0.leaveSeat(by: "host-a") }),
      (.cancelled, "host-a", { try $0.kickFromSeat("host-a", by: .api) }),
      (.cancelled, "host-a", { $0.leave("host-a", .timedOut) }),
      (.cancelled, "", { $0.close() }),
    ]
    for isMatched in [false, true] {
      for (number, (outcome, user, end)) in ends.enumerated() where outcome != .timedOut || !isMatched {
        var rooms = try Self.seekers()
        if isMatched {
          rooms["a"].room.receive(PKMessage(pkId: "1", from: "b", to: "a", body: .matched))
          rooms.look()
          rooms.mail = []
        }
        try end(&rooms.rooms["a"]!.room)
        #expect(orders("a", &rooms).last == .leaveMatching("t-a"), "\(number)")
        #expect(
          rooms.told("a").contains(.pkMatchEnded(PKMatchEndedData(ticket: "t-a", outcome: outcome, by: user))), "\(number)")
        #expect(rooms["a"].room.search == nil && rooms["a"].room.pk.invitations.isEmpty)
        #expect(rooms.mail.map(\.body) == (isMatched ? [.end(.failed, by: "")] : []), "\(number)")
      }
    }
  }

  @Test("another PK ends the search")
  func otherPK() throws {
    var rooms = try Rooms("a", "b", "c")
    try Self.seek("a", in: &rooms)
    try rooms.invite("c", "a")
    rooms.deliver()
    try rooms.accept("a")
    rooms.deliver()
    #expect(rooms.pk("a")?.room == "c")
    #expect(rooms.told("a").contains(.pkMatchEnded(PKMatchEndedData(ticket: "t-a", outcome: .cancelled, by: "host-a"))))
    // The match came too late.
    try Self.seek("b", in: &rooms)
    tell("b", of: "a", in: &rooms)
    tell("a", of: "b", in: &rooms)
    rooms.deliver()
    #expect(rooms.pk("a")?.room == "c" && rooms.pk("b") == nil && rooms["b"].room.search != nil)
  }

  @Test("the room confirms its place every 15 s, and leaves the queue while its host is not connected")
  func renewal() throws {
    var rooms = try Rooms("a")
    try Self.seek("a", in: &rooms, PKMatchParams(wait: 300))
    let ticket = try #require(rooms["a"].room.search?.ticket)
    rooms.wait(14_000)
    #expect(orders("a", &rooms).isEmpty)
    rooms.wait(2000)
    #expect(orders("a", &rooms) == [.enterMatching(ticket, after: nil)])
    rooms.look()
    rooms["a"].room.setConnected("host-a", false)
    #expect(orders("a", &rooms) == [.leaveMatching("t-a")])
    rooms.look()
    rooms.wait(40_000)
    #expect(orders("a", &rooms).isEmpty)
    rooms["a"].room.setConnected("host-a", true)
    #expect(orders("a", &rooms) == [.enterMatching(ticket, after: nil)])
  }

  @Test("a room waits on if the other one is gone, looks no more, does not answer, or has the same host")
  func failedMatch() throws {
    for failure in 0..<5 {
      var rooms = try failure == 0 ? Rooms("b") : Self.seekers(PKMatchParams(wait: 300))
      let (own, other): (RoomName, RoomName) = failure == 3 ? ("a", "b") : ("b", "a")
      if failure == 0 { try Self.seek("b", in: &rooms) }
      if failure == 4 {
        rooms = try Rooms("b")
        var twin = Stage("a")
        try twin.join("host-b", [.admin, .publish, .subscribe])
        rooms.rooms["a"] = twin
        for name: RoomName in ["a", "b"] {
          _ = try rooms[name].room.matchPK(PKMatchParams(wait: 300), ticket: "t-\(name)", by: .api)
        }
        rooms.look()
      }
      let ticket = try #require(rooms[own].room.search?.ticket)
      if failure == 1 { try rooms[other].room.cancelMatch(by: .api) }
      tell(own, of: other, in: &rooms)
      if failure <= 1 || failure == 4 {
        if failure == 0 { rooms.deliver(PKMessage(pkId: "1", from: own, to: other, body: .matched)) }
        if failure != 0 { tell(other, of: own, in: &rooms) }
        rooms.deliver()
      } else {
        // The other room, which is not told, says nothing.
        rooms.mail = []
        rooms.wait(11_000, delivering: false)
      }
      #expect(orders(own, &rooms).contains(.enterMatching(ticket, after: "1")), "\(failure)")
      #expect(rooms[own].room.search?.match == nil && rooms[own].room.search?.ticket == ticket, "\(failure)")
      #expect(rooms[own].room.pk.invitations.isEmpty && rooms.told(own) == [], "\(failure)")
    }
  }

  @Test("a match that is reported late, twice or in another order leads to one PK, or both rooms wait on")
  func disorder() throws {
    // The invitation is the first thing that the invited room learns.
    var rooms = try Self.seekers()
    tell("a", of: "b", in: &rooms)
    rooms.mail.removeAll { $0.body == .matched }
    rooms.deliver()
    tell("b", of: "a", in: &rooms)
    rooms.deliver()
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
    #expect(rooms["a"].room.search?.match == nil && rooms["b"].room.search?.match == nil)
    #expect(rooms.invitations("a") == [] && rooms.invitations("b") == [])
    // The queue's message to the invited room is lost; that of the inviting room is enough.
    rooms = try Self.seekers()
    tell("a", of: "b", in: &rooms)
    rooms.deliver()
    #expect(rooms.pk("a")?.pkId == "1" && rooms.pk("b")?.pkId == "1")
    rooms.look()
    for name: RoomName in ["a", "b"] { tell(name, of: name == "a" ? "b" : "a", in: &rooms) }
    rooms.deliver()
    #expect(rooms.pk("a")?.pkId == "1" && rooms.told("a") == [] && rooms.told("b") == [])
  }

  @Test("a stored room looks on with its old ticket once its host returns; one stored before searches existed looks for nobody")
  func stored() throws {
    var rooms = try Self.seekers(PKMatchParams(wait: 300))
    tell("a", of: "b", in: &rooms)
    let ticket = try #require(rooms["a"].room.search?.ticket)
    let json = try JSONEncoder().encode(rooms["a"].room.stored)
    rooms["a"].room = try JSONDecoder().decode(RoomState.self, from: json)
    rooms["a"].room.restore(at: ticket.at + 20_000)
    rooms.look()
    rooms["a"].room.setConnected("host-a", true)
    #expect(orders("a", &rooms) == [.enterMatching(ticket, after: nil)])
    #expect(rooms["a"].room.snapshot(for: nil).pkMatching == ticket)

    var object = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    object["search"] = nil
    let old = try JSONDecoder().decode(RoomState.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(old.search == nil && old.snapshot(for: nil).pkMatching == nil)
  }
}
