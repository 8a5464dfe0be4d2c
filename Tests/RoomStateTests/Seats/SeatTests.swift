import RoomProtocol
import RoomState
import Testing

@Suite("Seats")
struct SeatTests {
  @Test("the first admin who may publish is the host")
  func host() throws {
    var stage = Stage()
    try stage.join("watcher", .subscribe)
    try stage.join("spy", [.admin, .publish, .hidden])
    try stage.join("clerk", [.admin, .subscribe])
    #expect(stage.room.host == nil)
    try stage.join("ann", [.admin, .publish])
    #expect(stage.room.host == "ann")
    let seat = SeatInfo(index: 0, userId: "ann")
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: seat, cause: .joined, userId: "ann", by: "ann"))])
    #expect(stage.effects == [.seated(seat)])
    try stage.join("bea", [.admin, .publish])
    #expect(stage.room.host == "ann")
    stage.room.leave("ann", .left)
    #expect(stage.room.host == nil)
    try stage.join("cyd", [.admin, .publish])
    #expect(stage.room.host == "cyd")
  }

  @Test("automatic seating of the host can be disabled, and a locked seat stays empty")
  func noHost() throws {
    var rules = RoomRules()
    rules.hostIsSeated = false
    var stage = Stage(rules: rules)
    try stage.join("ann", [.admin, .publish])
    #expect(stage.room.host == nil)
    #expect(try stage.room.takeSeat(0, by: "ann").index == 0)

    var locked = Stage()
    try locked.room.setSeat(SeatSwitches(index: 0, locked: true), by: .api)
    try locked.join("ann", [.admin, .publish])
    #expect(locked.room.host == nil)
  }

  @Test("a seat is taken by index or as the first free one, is announced, and lets the user publish")
  func take() throws {
    var stage = try Stage.staffed()
    #expect(try stage.room.takeSeat(2, by: "bob").index == 2)
    let seat = SeatInfo(index: 2, userId: "bob")
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: seat, cause: .taken, userId: "bob", by: "bob"))])
    #expect(stage.changes.map(\.audience) == [.everyone])
    #expect(stage.effects == [.seated(seat)])
    #expect(try stage.room.takeSeat(-1, by: "cid").index == 1)
    #expect(try stage.room.takeSeat(-1, by: "dan").index == 3)
    #expect(stage.room.snapshot(for: "eve").seats.map(\.userId) == ["host", "cid", "bob", "dan"])
  }

  @Test("taking an unavailable seat fails with the reason")
  func refusals() throws {
    var stage = try Stage.staffed()
    stage.refused(.notInRoom, "not in the room") { room throws(RoomError) in _ = try room.takeSeat(1, by: "nobody") }
    stage.refused(.noPermission, "publish grant") { room throws(RoomError) in _ = try room.takeSeat(1, by: "eve") }
    stage.refused(.noPermission, "hidden") { room throws(RoomError) in _ = try room.takeSeat(1, by: "boss") }
    stage.refused(.noPermission, "host's") { room throws(RoomError) in _ = try room.takeSeat(0, by: "bob") }
    for index in [-2, 4, .max, .min] {
      stage.refused(.seatIndexInvalid, "0 to 3") { room throws(RoomError) in _ = try room.takeSeat(index, by: "bob") }
    }
    stage.refused(.alreadySeated, "seat 0") { room throws(RoomError) in _ = try room.takeSeat(1, by: "host") }
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true), by: .user("host"))
    stage.refused(.seatLocked, "seat 1") { room throws(RoomError) in _ = try room.takeSeat(1, by: "bob") }
    _ = try stage.room.takeSeat(2, by: "bob")
    stage.refused(.seatTaken, "bob sits") { room throws(RoomError) in _ = try room.takeSeat(2, by: "cid") }
    _ = try stage.room.takeSeat(3, by: "cid")
    stage.refused(.seatLocked, "locked") { room throws(RoomError) in _ = try room.takeSeat(-1, by: "dan") }
    try stage.room.setSeat(SeatSwitches(index: 1, locked: false), by: .user("host"))
    _ = try stage.room.takeSeat(-1, by: "dan")
    try stage.join("fay", .publish)
    stage.refused(.seatsFull, "no seat") { room throws(RoomError) in _ = try room.takeSeat(-1, by: "fay") }
  }

  @Test("leaving a seat and being removed from it have different reasons")
  func leave() throws {
    var stage = try Stage.staffed()
    _ = try stage.room.takeSeat(1, by: "bob")
    try stage.room.setSeat(SeatSwitches(index: 1, muted: true, video: false), by: .user("host"))
    stage.look()
    try stage.room.leaveSeat(by: "bob")
    // The admin's mute stays with the seat; the user's own switch is reset.
    let empty = SeatInfo(index: 1, muted: true)
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: empty, cause: .left, userId: "bob", by: "bob"))])
    #expect(stage.effects == [.unseated(userId: "bob", index: 1)])
    stage.refused(.wrongMicState, "no seat") { room throws(RoomError) in try room.leaveSeat(by: "bob") }

    _ = try stage.room.takeSeat(1, by: "bob")
    stage.refused(.noPermission, "admin") { room throws(RoomError) in try room.kickFromSeat("bob", by: .user("cid")) }
    stage.refused(.notInRoom) { room throws(RoomError) in try room.kickFromSeat("nobody", by: .api) }
    stage.refused(.notInRoom) { room throws(RoomError) in try room.kickFromSeat("boss", by: .api) }
    stage.refused(.wrongMicState) { room throws(RoomError) in try room.kickFromSeat("cid", by: .api) }
    try stage.room.kickFromSeat("bob", by: .user("boss"))
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: empty, cause: .kicked, userId: "bob", by: "boss"))])
    _ = try stage.room.takeSeat(1, by: "bob")
    stage.look()
    stage.room.leave("bob", .timedOut)
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: empty, cause: .gone, userId: "bob", by: "bob"))])
    stage.room.leave("bob", .timedOut)
    #expect(stage.look().isEmpty)
  }

  @Test("a user may publish while it has a seat")
  func publishing() throws {
    var stage = try Stage.staffed()
    #expect(stage.room.mayPublish("bob") && !stage.room.mayPublish("eve") && !stage.room.mayPublish("nobody"))
    try stage.room.requestSeat(-1, by: "eve")
    _ = try stage.room.acceptRequest(of: "eve", by: .user("host"))
    #expect(stage.room.mayPublish("eve"))
    try stage.room.leaveSeat(by: "eve")
    #expect(!stage.room.mayPublish("eve"))
  }

  @Test("admins lock and mute seats; users switch their own video and audio")
  func switches() throws {
    var stage = try Stage.staffed()
    _ = try stage.room.takeSeat(1, by: "bob")
    stage.look()
    try stage.room.setSeat(SeatSwitches(index: 1, video: false, audio: false), by: .user("bob"))
    var seat = SeatInfo(index: 1, userId: "bob", video: false, audio: false)
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: seat, cause: .switched, by: "bob"))])
    #expect(stage.effects == [.switched(seat)])
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true, muted: true, audio: true), by: .user("host"))
    seat = SeatInfo(index: 1, userId: "bob", locked: true, muted: true, video: false)
    #expect(stage.look() == [.seatChanged(SeatChangedData(seat: seat, cause: .switched, by: "host"))])
    // Setting the same value again is not a change.
    try stage.room.setSeat(SeatSwitches(index: 1, locked: true, video: false), by: .api)
    #expect(stage.look().isEmpty)
    // An empty seat emits no effect.
    try stage.room.setSeat(SeatSwitches(index: 2, muted: true), by: .api)
    #expect(stage.look().count == 1 && stage.effects.isEmpty)

    stage.refused(.noPermission, "admin") { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: 1, muted: false), by: .user("bob"))
    }
    stage.refused(.noPermission, "another user's") { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: 1, audio: false), by: .user("cid"))
    }
    // Switches are set atomically: the allowed half is not applied.
    stage.refused(.noPermission) { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: 1, locked: false, video: true), by: .user("bob"))
    }
    stage.refused(.wrongMicState, "empty") { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: 2, video: false), by: .api)
    }
    stage.refused(.seatIndexInvalid) { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: -1, muted: true), by: .api)
    }
    stage.refused(.notInRoom) { room throws(RoomError) in
      try room.setSeat(SeatSwitches(index: 1, muted: true), by: .user("nobody"))
    }
  }

  @Test("calls fail in a closed room")
  func closed() throws {
    var stage = try Stage.staffed()
    try stage.room.requestSeat(-1, by: "bob")
    try stage.room.inviteToSeat("cid", index: -1, by: .api)
    stage.look()
    stage.room.close()
    #expect(
      stage.look() == [
        .seatRequestEnded(SeatEndedData(userId: "bob", outcome: .roomClosed)),
        .seatInvitationEnded(SeatEndedData(userId: "cid", outcome: .roomClosed)),
      ])
    #expect(stage.room.nextDeadline == nil)
    stage.refused(.noSuchRoom, "closed") { room throws(RoomError) in _ = try room.takeSeat(1, by: "bob") }
    stage.refused(.noSuchRoom, "closed") { room throws(RoomError) in try room.setLayout(LayoutParams(.gridNine), by: .api) }
    stage.refused(.noSuchRoom) { room throws(RoomError) in try room.join("new", grants: .subscribe) }
    stage.room.close()
    #expect(stage.look().isEmpty)
  }
}
