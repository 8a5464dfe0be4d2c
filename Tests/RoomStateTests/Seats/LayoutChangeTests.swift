import RoomProtocol
import RoomState
import Testing

@Suite("Changing the layout")
struct LayoutChangeTests {
  @Test("another type removes all but the host from the seats, and announces each seat's frame")
  func anotherType() throws {
    var stage = try Stage.staffed(.gridFour)
    _ = try stage.room.takeSeat(1, by: "bob")
    _ = try stage.room.takeSeat(3, by: "cid")
    try stage.room.setSeat(SeatSwitches(index: 2, locked: true), by: .api)
    try stage.room.setSeat(SeatSwitches(index: 0, audio: false), by: .api)
    stage.look()
    try stage.room.setLayout(LayoutParams(.oneToSix), by: .user("host"))
    var seats = (0..<7).map { SeatInfo(index: $0) }
    seats[0] = SeatInfo(index: 0, userId: "host", audio: false)
    let layout = try Layout(.oneToSix)
    #expect(
      stage.look() == [.layoutChanged(LayoutChangedData(layout: layout, seats: seats, off: ["bob", "cid"], by: "host"))])
    #expect(
      stage.effects == [.unseated(userId: "bob", index: 1), .unseated(userId: "cid", index: 3), .arranged(layout)])
    #expect(layout.frames.count == 7 && stage.room.layout == layout)
    #expect(try stage.room.takeSeat(6, by: "bob").index == 6)
  }

  @Test("setting the same layout again fails, in any form")
  func same() throws {
    var stage = try Stage.staffed(.oneToOne)
    stage.refused(.sameLayout, "oneToOne") { room throws(RoomError) in try room.setLayout(LayoutParams(.oneToOne), by: .api) }
    stage.refused(.sameLayout) { room throws(RoomError) in
      try room.setLayout(LayoutParams(.oneToOne, canvas: .portrait), by: .api)
    }
    let custom = LayoutParams(.custom, frames: LayoutType.gridThree.frames)
    try stage.room.setLayout(custom, by: .api)
    stage.refused(.sameLayout, "custom") { room throws(RoomError) in try room.setLayout(custom, by: .api) }
    stage.refused(.sameLayout) { room throws(RoomError) in try room.setLayout(LayoutParams(.custom), by: .api) }
  }

  @Test("after a change of frames or canvas, users keep seats that still exist")
  func otherFrames() throws {
    var stage = try Stage.staffed(.gridFour)
    _ = try stage.room.takeSeat(1, by: "bob")
    try stage.room.setLayout(LayoutParams(.gridFour, canvas: CanvasSize(width: 1280, height: 720)), by: .api)
    #expect(stage.seat(of: "bob") == 1)
    try stage.room.setLayout(LayoutParams(.custom, frames: LayoutType.gridFour.frames), by: .api)
    #expect(stage.seat(of: "bob") == nil)
    _ = try stage.room.takeSeat(1, by: "bob")
    _ = try stage.room.takeSeat(3, by: "cid")
    stage.look()
    try stage.room.setLayout(LayoutParams(.custom, frames: LayoutType.gridTwo.frames), by: .api)
    #expect(stage.seat(of: "bob") == 1 && stage.seat(of: "cid") == nil)
    guard case .layoutChanged(let data)? = stage.look().first else { return #expect(Bool(false)) }
    #expect(data.off == ["cid"] && data.seats.map(\.userId) == ["host", "bob"])
    try stage.room.setLayout(LayoutParams(.custom, frames: LayoutType.gridNine.frames), by: .api)
    #expect(stage.seat(of: "bob") == 1 && stage.room.snapshot(for: nil).seats.count == 9)
  }

  @Test("an invalid layout fails with the field's name; so does a caller that is not an admin")
  func bad() throws {
    var stage = try Stage.staffed()
    stage.refused(.noPermission, "admin") { room throws(RoomError) in
      try room.setLayout(LayoutParams(.gridNine), by: .user("bob"))
    }
    stage.refused(.updateRoomFailed, "canvas.width") { room throws(RoomError) in
      try room.setLayout(LayoutParams(.gridNine, canvas: CanvasSize(width: 100_000, height: 100_000)), by: .api)
    }
    stage.refused(.updateRoomFailed, "frames") { room throws(RoomError) in
      try room.setLayout(LayoutParams(.custom), by: .api)
    }
    stage.refused(.updateRoomFailed, "frames[0].x") { room throws(RoomError) in
      try room.setLayout(LayoutParams(.custom, frames: [SeatFrame(x: -1, y: 0, width: 1, height: 1)]), by: .api)
    }
  }

  @Test("a request for a seat that no longer exists gets another")
  func waiting() throws {
    var stage = try Stage.staffed(.gridNine)
    try stage.room.requestSeat(8, by: "bob")
    try stage.room.inviteToSeat("cid", index: 7, by: .api)
    try stage.room.setLayout(LayoutParams(.gridThree), by: .api)
    #expect(try stage.room.acceptRequest(of: "bob", by: .api).index == 1)
    #expect(try stage.room.acceptInvitation(by: "cid").index == 2)
  }
}
