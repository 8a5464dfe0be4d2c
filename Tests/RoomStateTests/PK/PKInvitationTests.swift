import RoomProtocol
import RoomState
import Testing

@Suite("Invitations to a PK")
struct PKInvitationTests {
  @Test("both rooms' admins see the invitation, and everyone the PK, each from its own side")
  func begin() throws {
    var rooms = try Rooms("a", "b")
    let now = rooms["a"].room.clock
    let result = try rooms["a"].room.invitePK(PKInviteParams(room: "b"), id: "1", by: .user("host-a"))
    #expect(result == PKInviteResult(pkId: "1", expiresAt: now + 30_000))
    rooms.deliver()
    var invitation = PKInvitation(
      pkId: "1", from: PKSide(room: "a", userId: "host-a"), to: PKSide(room: "b", userId: ""), mode: .bridge, by: "host-a",
      at: now, expiresAt: now + 30_000)
    #expect(rooms["a"].changes.map(\.audience) == [.admins])
    #expect(rooms.told("a") == [.pkInvited(invitation)])
    invitation.to.userId = "host-b"
    #expect(rooms["b"].changes.map(\.audience) == [.admins])
    #expect(rooms.told("b") == [.pkInvited(invitation)])
    #expect(rooms["b"].room.snapshot(for: "boss-b").pkInvitations == [invitation])
    #expect(rooms["b"].room.snapshot(for: "eve-b").pkInvitations == [])

    try rooms["b"].room.acceptPK("1", by: .user("boss-b"))
    rooms.deliver()
    var infoA = PKInfo(pkId: "1", room: "b", userId: "host-b", host: "host-a", inviter: true, startedAt: now)
    #expect(rooms["a"].changes.map(\.audience) == [.admins, .everyone] && rooms["a"].effects == [.pkBegan(infoA)])
    #expect(
      rooms.told("a") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "1", outcome: .accepted)), .pkBegan(infoA)])
    let infoB = PKInfo(pkId: "1", room: "a", userId: "host-a", host: "host-b", inviter: false, startedAt: now)
    #expect(rooms["b"].effects == [.pkBegan(infoB)])
    #expect(
      rooms.told("b") == [
        .pkInvitationEnded(PKInvitationEndedData(pkId: "1", outcome: .accepted, by: "boss-b")), .pkBegan(infoB),
      ])
    #expect(rooms["b"].room.snapshot(for: "eve-b").pk == infoB)
    infoA.score = 0
    #expect(rooms["a"].room.snapshot(for: "eve-a").pk == infoA)
  }

  @Test("invalid calls fail")
  func refusals() throws {
    var rooms = try Rooms("a", "b")
    var stage = rooms["a"]
    func invite(_ room: RoomName, by user: UserID = "host-a") -> (inout RoomState) throws(RoomError) -> Void {
      { state throws(RoomError) in _ = try state.invitePK(PKInviteParams(room: room), id: "1", by: .user(user)) }
    }
    stage.refused(.noPermission, "admin", invite("b", by: "eve-a"))
    stage.refused(.notInRoom, "not in the room", invite("b", by: "nobody"))
    stage.refused(.pkInviteFailed, "another room", invite("a"))
    stage.refused(.pkInviteFailed, "another room", invite(""))
    stage.room.setConnected("host-a", false)
    stage.refused(.pkInviteFailed, "seat 0", invite("b"))
    stage.room.setConnected("host-a", true)
    try stage.room.leaveSeat(by: "host-a")
    stage.refused(.pkInviteFailed, "seat 0", invite("b"))
    _ = try stage.room.takeSeat(0, by: "host-a")
    stage.refused(.pkCancelFailed) { room throws(RoomError) in try room.cancelPK("1", by: .api) }
    stage.refused(.pkAnswerFailed) { room throws(RoomError) in try room.acceptPK("1", by: .api) }
    stage.refused(.pkAnswerFailed) { room throws(RoomError) in try room.rejectPK("1", by: .api) }
    for user: UserID in ["eve-a", "nobody"] {
      let code: ErrorCode = user == "nobody" ? .notInRoom : .noPermission
      stage.refused(code) { room throws(RoomError) in try room.cancelPK("1", by: .user(user)) }
      stage.refused(code) { room throws(RoomError) in try room.acceptPK("1", by: .user(user)) }
      stage.refused(code) { room throws(RoomError) in try room.rejectPK("1", by: .user(user)) }
      stage.refused(code) { room throws(RoomError) in try room.mutePKPeer(true, by: .user(user)) }
      stage.refused(code) { room throws(RoomError) in try room.setPKScore(1, by: .user(user)) }
      stage.refused(code) { room throws(RoomError) in try room.quitPK(by: .user(user)) }
    }
    stage.refused(.roomNotInPK) { room throws(RoomError) in try room.quitPK(by: .api) }
    stage.refused(.roomNotInPK) { room throws(RoomError) in try room.mutePKPeer(true, by: .api) }
    stage.refused(.roomNotInPK) { room throws(RoomError) in try room.setPKScore(1, by: .api) }
    stage.refused(.roomNotInPK) { room throws(RoomError) in _ = try room.resumePK(by: "host-a") }

    try rooms.invite("a", "b")
    rooms.deliver()
    stage = rooms["a"]
    stage.refused(.pkInviteFailed, "cancelPK", invite("c"))
    // A room can't answer its own invitation.
    stage.refused(.pkAnswerFailed) { room throws(RoomError) in try room.acceptPK("a-b", by: .api) }
    stage.refused(.pkAnswerFailed) { room throws(RoomError) in try room.rejectPK("a-b", by: .api) }
    var other = rooms["b"]
    other.refused(.pkInviteFailed, "acceptPK with a-b") { room throws(RoomError) in
      _ = try room.invitePK(PKInviteParams(room: "a"), id: "2", by: .api)
    }
    other.refused(.pkCancelFailed) { room throws(RoomError) in try room.cancelPK("a-b", by: .api) }
    other.refused(.pkAnswerFailed, "reason") { room throws(RoomError) in
      try room.rejectPK("a-b", reason: String(repeating: "x", count: 257), by: .api)
    }
  }

  @Test("a room in a PK can neither invite nor be invited: 10012")
  func busy() throws {
    var rooms = try Rooms.inPK()
    rooms["c"] = try Rooms("c")["c"]
    var stage = rooms["a"]
    stage.refused(.roomInPK, "quitPK") { room throws(RoomError) in
      _ = try room.invitePK(PKInviteParams(room: "c"), id: "2", by: .api)
    }
    try rooms.invite("c", "b")
    rooms.deliver()
    let error = RoomError(.roomInPK, "room b is in a PK")
    #expect(
      rooms.told("c").last == .pkInvitationEnded(PKInvitationEndedData(pkId: "c-b", outcome: .failed, error: error)))
    #expect(rooms.told("b").isEmpty)
  }

  @Test(
    "an invitation that fails in the other room returns its error",
    arguments: [
      ("z", nil, ErrorCode.noSuchRoom), ("b", "nobody", .notInRoom), ("b", "boss-b", .notInRoom),
      ("b", "eve-b", .pkInviteFailed),
      ("empty", nil, .pkInviteFailed), ("closed", nil, .noSuchRoom),
    ] as [(RoomName, UserID?, ErrorCode)])
  func failed(room: RoomName, user: UserID?, code: ErrorCode) throws {
    var rooms = try Rooms("a", "b")
    rooms["empty"] = Stage("empty")
    rooms["closed"] = Stage("closed")
    rooms["closed"].room.close()
    try rooms.invite("a", room, user: user)
    rooms.deliver()
    guard case .pkInvitationEnded(let data)? = rooms.told("a").last else { return #expect(Bool(false)) }
    #expect(data.outcome == .failed && data.error?.code == code, "\(data)")
    #expect(rooms.invitations("a").isEmpty)
    try rooms.invite("a", "b", user: "host-b", id: "again")
    rooms.deliver()
    #expect(rooms.invitations("b").count == 1)
  }

  @Test("rejections with a reason, cancellations and timeouts are reported once in both rooms")
  func outcomes() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b", id: "1")
    rooms.deliver()
    rooms.look()
    try rooms["b"].room.rejectPK("1", reason: "later", by: .user("host-b"))
    rooms.deliver()
    #expect(
      rooms.told("a") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "1", outcome: .rejected, reason: "later"))])
    #expect(
      rooms.told("b") == [
        .pkInvitationEnded(PKInvitationEndedData(pkId: "1", outcome: .rejected, reason: "later", by: "host-b"))
      ])

    try rooms.invite("a", "b", id: "2")
    rooms.deliver()
    rooms.look()
    try rooms["a"].room.cancelPK("2", by: .user("boss-a"))
    rooms.deliver()
    #expect(rooms.told("a") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "2", outcome: .cancelled, by: "boss-a"))])
    #expect(rooms.told("b") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "2", outcome: .cancelled))])

    try rooms.invite("a", "b", id: "3")
    rooms.deliver()
    rooms.look()
    rooms.wait(29_000)
    #expect(rooms.told("a").isEmpty)
    rooms.wait(1000)
    #expect(rooms.told("a") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "3", outcome: .timedOut))])
    #expect(rooms.told("b") == [.pkInvitationEnded(PKInvitationEndedData(pkId: "3", outcome: .timedOut))])
    #expect(rooms["a"].room.nextDeadline == nil && rooms["b"].room.nextDeadline == nil)
  }

  @Test("invitations that name the host end when it leaves")
  func hostGoes() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b", id: "1")
    rooms.deliver()
    rooms["a"].room.leave("host-a", .timedOut)
    rooms.deliver()
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)

    try rooms["a"].join("host-a", [.admin, .publish])
    try rooms.invite("a", "b", id: "2")
    rooms.deliver()
    rooms.look()
    try rooms["b"].room.leaveSeat(by: "host-b")
    rooms.deliver()
    guard case .pkInvitationEnded(let data)? = rooms.told("a").last else { return #expect(Bool(false)) }
    #expect(data.outcome == .failed && data.error?.message.contains("host-b") ?? false)
    #expect(rooms.invitations("b").isEmpty)
  }

  @Test("the invited host must be present to accept")
  func hostIsLost() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    rooms.deliver()
    rooms["b"].room.setConnected("host-b", false)
    rooms["b"].refused(.pkAnswerFailed, "connected") { room throws(RoomError) in
      try room.acceptPK("a-b", by: .user("boss-b"))
    }
    rooms["b"].room.setConnected("host-b", true)
    try rooms.accept("b")
    rooms.deliver()
    #expect(rooms.pk("a")?.pkId == "a-b" && rooms.pk("b")?.pkId == "a-b")
  }

  @Test("several rooms may invite one; it accepts one, and the others learn that it is in a PK")
  func several() throws {
    var rules = RoomRules()
    rules.pkInvitations = 2
    var rooms = try Rooms("a", "b", "c", "d", rules: rules)
    for name: RoomName in ["b", "c", "d"] { try rooms.invite(name, "a") }
    rooms.deliver()
    #expect(rooms.invitations("a").map(\.pkId) == ["b-a", "c-a"])
    guard case .pkInvitationEnded(let data)? = rooms.told("d").last else { return #expect(Bool(false)) }
    #expect(data.error?.code == .pkInviteFailed)
    try rooms["a"].room.acceptPK("c-a", by: .api)
    rooms["a"].refused(.roomInPK, "about to start") { room throws(RoomError) in try room.acceptPK("b-a", by: .api) }
    rooms.deliver()
    #expect(rooms.pk("a")?.room == "c" && rooms.pk("c")?.room == "a")
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)
    guard case .pkInvitationEnded(let other)? = rooms.told("b").last else { return #expect(Bool(false)) }
    #expect(other.outcome == .failed && other.error?.code == .roomInPK)
  }

  @Test("accepting an invitation cancels the room's own invitation to another room")
  func ownIsTakenBack() throws {
    var rooms = try Rooms("a", "b", "c")
    try rooms.invite("a", "b")
    try rooms.invite("c", "a")
    rooms.deliver()
    try rooms["a"].room.acceptPK("c-a", by: .api)
    rooms.deliver()
    #expect(rooms.pk("a")?.room == "c")
    #expect(rooms.invitations("b").isEmpty && rooms.pk("b") == nil)
  }
}
