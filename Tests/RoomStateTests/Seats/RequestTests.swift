import RoomProtocol
import RoomState
import Testing

@Suite("Requests to speak")
struct RequestTests {
  @Test("a request is announced and queued, and an admin's acceptance gives the seat")
  func accept() throws {
    var stage = try Stage.staffed()
    try stage.room.requestSeat(2, by: "eve")
    let request = SeatRequest(userId: "eve", index: 2, at: stage.room.clock, expiresAt: stage.room.clock + 30_000)
    #expect(stage.look() == [.seatRequested(request)] && stage.changes.map(\.audience) == [.everyone])
    stage.wait(10)
    try stage.room.requestSeat(-1, by: "bob")
    #expect(try stage.room.listRequests(by: .user("cid")).requests.map(\.userId) == ["eve", "bob"])
    #expect(stage.room.snapshot(for: "cid").requests.map(\.userId) == ["eve", "bob"])
    stage.look()
    #expect(try stage.room.acceptRequest(of: "eve", by: .user("host")).index == 2)
    let seat = SeatInfo(index: 2, userId: "eve")
    #expect(
      stage.look() == [
        .seatRequestEnded(SeatEndedData(userId: "eve", outcome: .accepted, index: 2, by: "host")),
        .seatChanged(SeatChangedData(seat: seat, cause: .requested, userId: "eve", by: "host")),
      ])
    #expect(stage.effects == [.seated(seat)])
  }

  @Test("the eleventh request fails until one is answered")
  func full() throws {
    var stage = Stage()
    for index in 0..<11 { try stage.join("u\(index)", .subscribe) }
    for index in 0..<10 { try stage.room.requestSeat(-1, by: "u\(index)") }
    stage.refused(.requestsFull, "10 users") { room throws(RoomError) in try room.requestSeat(-1, by: "u10") }
    try stage.room.rejectRequest(of: "u3", by: .api)
    try stage.room.requestSeat(-1, by: "u10")
  }

  @Test("invalid requests fail")
  func refusals() throws {
    var stage = try Stage.staffed()
    stage.refused(.notInRoom) { room throws(RoomError) in try room.requestSeat(1, by: "nobody") }
    stage.refused(.noPermission, "hidden") { room throws(RoomError) in try room.requestSeat(1, by: "boss") }
    stage.refused(.noPermission, "host's") { room throws(RoomError) in try room.requestSeat(0, by: "bob") }
    stage.refused(.seatIndexInvalid) { room throws(RoomError) in try room.requestSeat(-2, by: "bob") }
    stage.refused(.alreadySeated) { room throws(RoomError) in try room.requestSeat(1, by: "host") }
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true), by: .api)
    stage.refused(.seatLocked) { room throws(RoomError) in try room.requestSeat(1, by: "bob") }
    _ = try stage.room.takeSeat(2, by: "cid")
    stage.refused(.seatTaken) { room throws(RoomError) in try room.requestSeat(2, by: "bob") }
    try stage.room.requestSeat(3, by: "bob")
    stage.refused(.requestFailed, "already") { room throws(RoomError) in try room.requestSeat(-1, by: "bob") }
    stage.refused(.requestFailed, "not requested") { room throws(RoomError) in try room.cancelRequest(by: "dan") }
    stage.refused(.noPermission) { room throws(RoomError) in _ = try room.acceptRequest(of: "bob", by: .user("bob")) }
    stage.refused(.noPermission) { room throws(RoomError) in try room.rejectRequest(of: "bob", by: .user("cid")) }
    stage.refused(.acceptFailed, "dan") { room throws(RoomError) in _ = try room.acceptRequest(of: "dan", by: .api) }
    stage.refused(.rejectFailed, "dan") { room throws(RoomError) in try room.rejectRequest(of: "dan", by: .api) }
    stage.refused(.notInRoom) { room throws(RoomError) in _ = try room.listRequests(by: .user("nobody")) }
  }

  @Test("only the first of two answers counts")
  func twoHosts() throws {
    var stage = try Stage.staffed()
    try stage.join("host2", [.admin, .publish])
    try stage.room.requestSeat(1, by: "bob")
    _ = try stage.room.acceptRequest(of: "bob", by: .user("host"))
    stage.refused(.acceptFailed, "answered") { room throws(RoomError) in
      _ = try room.acceptRequest(of: "bob", by: .user("host2"))
    }
    stage.refused(.rejectFailed, "answered") { room throws(RoomError) in try room.rejectRequest(of: "bob", by: .user("host2")) }
    #expect(stage.seat(of: "bob") == 1)
  }

  @Test("if the seat is gone, the first free one is given; without one the request stays pending")
  func seatGone() throws {
    var stage = try Stage.staffed(.gridThree)
    try stage.room.requestSeat(1, by: "eve")
    try stage.room.requestSeat(2, by: "bob")
    _ = try stage.room.takeSeat(1, by: "cid")
    #expect(try stage.room.acceptRequest(of: "eve", by: .api).index == 2)
    stage.refused(.seatsFull) { room throws(RoomError) in _ = try room.acceptRequest(of: "bob", by: .api) }
    try stage.room.leaveSeat(by: "cid")
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true), by: .api)
    stage.refused(.seatLocked) { room throws(RoomError) in _ = try room.acceptRequest(of: "bob", by: .api) }
    try stage.room.setSeat(SeatSwitches(index: 1, locked: false), by: .api)
    #expect(try stage.room.acceptRequest(of: "bob", by: .api).index == 1)
  }

  @Test(
    "each end of a request is announced once, with its outcome",
    arguments: [
      ("cancelled", SeatOutcome.cancelled, "bob"), ("rejected", .rejected, "host"), ("too old", .timedOut, ""),
      ("the user left", .left, ""), ("the user took a seat", .seated, ""),
    ] as [(String, SeatOutcome, UserID)])
  func outcomes(how: String, outcome: SeatOutcome, by: UserID) throws {
    var stage = try Stage.staffed()
    try stage.room.requestSeat(-1, by: "bob")
    stage.look()
    switch outcome {
    case .cancelled: try stage.room.cancelRequest(by: "bob")
    case .rejected: try stage.room.rejectRequest(of: "bob", by: .user("host"))
    case .timedOut:
      #expect(stage.room.nextDeadline == stage.room.clock + 30_000)
      stage.wait(29_999)
      #expect(stage.look().isEmpty)
      stage.wait(1)
    case .left: stage.room.leave("bob", .left)
    default: _ = try stage.room.takeSeat(1, by: "bob")
    }
    #expect(stage.look().first == .seatRequestEnded(SeatEndedData(userId: "bob", outcome: outcome, by: by)))
    #expect(stage.room.nextDeadline == nil)
    stage.refused(.acceptFailed) { room throws(RoomError) in _ = try room.acceptRequest(of: "bob", by: .api) }
  }

  @Test("timeout and limit are configurable")
  func rules() throws {
    var rules = RoomRules()
    rules.requestTime = 50
    rules.requests = 1
    var stage = try Stage.staffed(rules: rules)
    try stage.room.requestSeat(-1, by: "bob")
    stage.refused(.requestsFull) { room throws(RoomError) in try room.requestSeat(-1, by: "cid") }
    stage.wait(50)
    try stage.room.requestSeat(-1, by: "cid")
  }
}

@Suite("Invitations to a seat")
struct InvitationTests {
  @Test("an invitation is announced, and accepting it gives the seat, even without the publish grant")
  func accept() throws {
    var stage = try Stage.staffed()
    try stage.room.inviteToSeat("eve", index: 3, by: .user("host"))
    let invitation = SeatInvitation(
      userId: "eve", index: 3, by: "host", at: stage.room.clock, expiresAt: stage.room.clock + 30_000)
    #expect(stage.look() == [.seatInvited(invitation)])
    #expect(stage.room.snapshot(for: "bob").invitations == [invitation])
    #expect(try stage.room.acceptInvitation(by: "eve").index == 3)
    #expect(
      stage.look() == [
        .seatInvitationEnded(SeatEndedData(userId: "eve", outcome: .accepted, index: 3, by: "eve")),
        .seatChanged(
          SeatChangedData(seat: SeatInfo(index: 3, userId: "eve"), cause: .invited, userId: "eve", by: "host")),
      ])
    #expect(stage.room.mayPublish("eve"))
  }

  @Test("an admin can invite a user to the host's seat")
  func hostSeat() throws {
    var stage = try Stage.staffed()
    try stage.room.leaveSeat(by: "host")
    try stage.room.inviteToSeat("eve", index: 0, by: .user("host"))
    #expect(try stage.room.acceptInvitation(by: "eve").index == 0)
    #expect(stage.room.host == "eve")
  }

  @Test("invalid invitations fail")
  func refusals() throws {
    var stage = try Stage.staffed()
    stage.refused(.noPermission) { room throws(RoomError) in try room.inviteToSeat("cid", index: 1, by: .user("bob")) }
    for user: UserID in ["nobody", "boss"] {
      stage.refused(.notInRoom, "no user") { room throws(RoomError) in try room.inviteToSeat(user, index: 1, by: .api) }
    }
    stage.refused(.alreadySeated) { room throws(RoomError) in try room.inviteToSeat("host", index: 1, by: .api) }
    stage.refused(.seatTaken) { room throws(RoomError) in try room.inviteToSeat("bob", index: 0, by: .api) }
    stage.refused(.seatIndexInvalid) { room throws(RoomError) in try room.inviteToSeat("bob", index: 9, by: .api) }
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true), by: .api)
    stage.refused(.seatLocked) { room throws(RoomError) in try room.inviteToSeat("bob", index: 1, by: .api) }
    try stage.room.inviteToSeat("bob", index: -1, by: .api)
    stage.refused(.requestFailed, "already") { room throws(RoomError) in try room.inviteToSeat("bob", index: 2, by: .api) }
    stage.refused(.acceptFailed) { room throws(RoomError) in _ = try room.acceptInvitation(by: "cid") }
    stage.refused(.rejectFailed) { room throws(RoomError) in try room.rejectInvitation(by: "cid") }
    stage.refused(.notInRoom) { room throws(RoomError) in _ = try room.acceptInvitation(by: "nobody") }
    stage.refused(.requestFailed, "not invited") { room throws(RoomError) in try room.cancelInvitation(of: "cid", by: .api) }
    stage.refused(.noPermission) { room throws(RoomError) in try room.cancelInvitation(of: "bob", by: .user("cid")) }
  }

  @Test("an invited user can't request a seat, nor can a requesting user be invited: it can be answered")
  func both() throws {
    var stage = try Stage.staffed()
    try stage.room.inviteToSeat("bob", index: -1, by: .api)
    stage.refused(.requestFailed, "acceptInvitation") { room throws(RoomError) in try room.requestSeat(-1, by: "bob") }
    try stage.room.requestSeat(-1, by: "cid")
    stage.refused(.requestFailed, "acceptRequest") { room throws(RoomError) in
      try room.inviteToSeat("cid", index: -1, by: .api)
    }
  }

  @Test("the eleventh pending invitation fails")
  func full() throws {
    var stage = Stage()
    for index in 0..<11 { try stage.join("u\(index)", .subscribe) }
    for index in 0..<10 { try stage.room.inviteToSeat("u\(index)", index: -1, by: .api) }
    stage.refused(.requestsFull) { room throws(RoomError) in try room.inviteToSeat("u10", index: -1, by: .api) }
  }

  @Test("if the seat is taken, the first free one is given; without one the invitation stays pending")
  func seatGone() throws {
    var stage = try Stage.staffed(.gridThree)
    try stage.room.inviteToSeat("eve", index: 1, by: .api)
    try stage.room.inviteToSeat("bob", index: 1, by: .api)
    _ = try stage.room.takeSeat(1, by: "cid")
    #expect(try stage.room.acceptInvitation(by: "eve").index == 2)
    stage.refused(.seatsFull) { room throws(RoomError) in _ = try room.acceptInvitation(by: "bob") }
    try stage.room.kickFromSeat("cid", by: .api)
    #expect(try stage.room.acceptInvitation(by: "bob").index == 1)
  }

  @Test(
    "each end of an invitation is announced once, with its outcome",
    arguments: [
      (SeatOutcome.cancelled, "boss"), (.rejected, "bob"), (.timedOut, ""), (.left, ""), (.seated, ""),
    ] as [(SeatOutcome, UserID)])
  func outcomes(outcome: SeatOutcome, by: UserID) throws {
    var stage = try Stage.staffed()
    try stage.room.inviteToSeat("bob", index: -1, by: .user("host"))
    stage.look()
    switch outcome {
    case .cancelled: try stage.room.cancelInvitation(of: "bob", by: .user("boss"))
    case .rejected: try stage.room.rejectInvitation(by: "bob")
    case .timedOut: stage.wait(30_000)
    case .left: stage.room.leave("bob", .timedOut)
    default: _ = try stage.room.takeSeat(1, by: "bob")
    }
    #expect(stage.look().first == .seatInvitationEnded(SeatEndedData(userId: "bob", outcome: outcome, by: by)))
    stage.refused(.acceptFailed) { room throws(RoomError) in _ = try room.acceptInvitation(by: outcome == .left ? "cid" : "bob")
    }
  }

  @Test("the invitations of an admin end when it leaves")
  func inviterLeaves() throws {
    var stage = try Stage.staffed()
    try stage.room.inviteToSeat("bob", index: -1, by: .user("host"))
    try stage.room.inviteToSeat("cid", index: -1, by: .api)
    stage.room.leave("host", .left)
    #expect(
      stage.look().contains(.seatInvitationEnded(SeatEndedData(userId: "bob", outcome: .cancelled, by: "host"))))
    #expect(stage.room.snapshot(for: nil).invitations.map(\.userId) == ["cid"])
  }

  @Test("timeouts fire in order, however late the clock advances")
  func order() throws {
    var stage = try Stage.staffed()
    try stage.room.requestSeat(-1, by: "bob")
    stage.wait(5)
    try stage.room.inviteToSeat("cid", index: -1, by: .api)
    stage.wait(5)
    try stage.room.requestSeat(-1, by: "dan")
    stage.look()
    stage.wait(1_000_000)
    #expect(
      stage.look() == [
        .seatRequestEnded(SeatEndedData(userId: "bob", outcome: .timedOut)),
        .seatInvitationEnded(SeatEndedData(userId: "cid", outcome: .timedOut)),
        .seatRequestEnded(SeatEndedData(userId: "dan", outcome: .timedOut)),
      ])
  }
}
