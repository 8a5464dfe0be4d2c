import RoomProtocol
import Testing

@testable import RoomState

@Suite("The clock of a PK")
struct PKClockTests {
  @Test("both rooms know the end, and the PK ends then by itself, once")
  func end() throws {
    var rooms = try Rooms.inPK(duration: 60)
    let (a, b) = (try #require(rooms.pk("a")), try #require(rooms.pk("b")))
    #expect(a.endsAt == a.startedAt + 60_000 && b.endsAt == a.endsAt)
    rooms.wait(59_000)
    #expect(rooms.pk("a") != nil && rooms.pk("b") != nil)
    rooms.look()
    rooms.wait(2000)
    for name: RoomName in ["a", "b"] {
      let ends = rooms.told(name).compactMap { change in if case .pkEnded(let data) = change { data } else { nil } }
      #expect(ends.map(\.reason) == [.time] && ends.map(\.by) == [""] && rooms.pk(name) == nil)
    }
  }

  @Test("an extension moves the end in both rooms; two at once leave the later one in both")
  func extended() throws {
    var rooms = try Rooms.inPK(duration: 60)
    let end = try #require(rooms.pk("a")?.endsAt)
    rooms["a"].refused(.noPermission) { room throws(RoomError) in try room.extendPK(seconds: 5, by: .user("eve-a")) }
    for seconds in [0, 86_401, 86_400] {
      rooms["a"].refused(.unknownMessage, "seconds") { room throws(RoomError) in try room.extendPK(seconds: seconds, by: .api) }
    }
    try rooms["a"].room.extendPK(seconds: 30, by: .user("host-a"))
    try rooms["b"].room.extendPK(seconds: 45, by: .api)
    rooms.deliver()
    #expect(rooms.pk("a")?.endsAt == end + 45_000 && rooms.pk("b")?.endsAt == end + 45_000)
    rooms.wait(100_000)
    #expect(rooms.pk("a") != nil)
    rooms.wait(6000)
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
  }

  @Test("a PK without a duration has no end, until it is extended")
  func unlimited() throws {
    var rooms = try Rooms.inPK()
    #expect(rooms.pk("a")?.endsAt == nil)
    rooms.wait(3_600_000)
    try rooms["b"].room.extendPK(seconds: 20, by: .api)
    rooms.deliver()
    #expect(rooms.pk("a")?.endsAt != nil && rooms.pk("a")?.endsAt == rooms.pk("b")?.endsAt)
    rooms.wait(21_000)
    #expect(rooms.pk("a") == nil)
  }

  @Test("a duration out of range is refused; a valid one is in the invitation of both rooms")
  func invitation() throws {
    var rooms = try Rooms("a", "b")
    for duration in [9, 86_401, -1] {
      #expect(throws: RoomError.self) { try rooms.invite("a", "b", duration: duration) }
    }
    try rooms.invite("a", "b", duration: 10)
    rooms.deliver()
    #expect(rooms.invitations("a").map(\.duration) == [10] && rooms.invitations("b").map(\.duration) == [10])
  }

  @Test("the end survives a restart; one that passed meanwhile ends the PK at once")
  func restart() throws {
    let rooms = try Rooms.inPK(duration: 60)
    for pause: Int64 in [5000, 100_000] {
      let info = try #require(rooms.pk("a"))
      var room = rooms["a"].room.stored
      room.restore(at: info.startedAt + pause)
      room.advance(to: info.startedAt + pause)
      #expect(room.pk.info?.endsAt == (pause < 60_000 ? info.endsAt : nil))
    }
  }
}
