import RoomProtocol
import Testing

@testable import RoomState

/// Messages between the rooms that cross, arrive late, twice or out of order.
@Suite("Races before a PK")
struct PKRaceTests {
  @Test("both invite at once: one PK starts without further calls")
  func crossing() throws {
    for order: [RoomName] in [["a", "b"], ["b", "a"]] {
      var rooms = try Rooms("a", "b")
      for name in order { try rooms.invite(name, name == "a" ? "b" : "a") }
      rooms.deliver()
      // The invitation of the room whose name sorts first counts.
      #expect(rooms.pk("a")?.pkId == "a-b" && rooms.pk("b")?.pkId == "a-b")
      #expect(rooms.pk("a")?.inviter == true && rooms.pk("b")?.inviter == false)
      #expect(
        rooms.told("b").contains(.pkInvitationEnded(PKInvitationEndedData(pkId: "b-a", outcome: .crossed))))
      #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)
      // The other room's invitation is not announced while its own continues.
      #expect(rooms.told("a").map(\.name) == ["pkInvited", "pkInvitationEnded", "pkBegan"])
    }
  }

  @Test("both invite at once and the first is cancelled: the other waits for an answer")
  func crossingCancelled() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("b", "a")
    try rooms.invite("a", "b")
    let (fromB, fromA) = (rooms.mail[0], rooms.mail[1])
    rooms.mail = []
    rooms.deliver(fromB)
    #expect(rooms.invitations("a").map(\.pkId) == ["a-b"])
    try rooms["a"].room.cancelPK("a-b", by: .api)
    rooms.collect()
    #expect(rooms.invitations("a").map(\.pkId) == ["b-a"])
    let cancel = rooms.mail
    rooms.mail = []
    // The invitation reaches b before its end: b accepts, which has no effect in either room.
    rooms.deliver(fromA)
    for message in cancel { rooms.deliver(message) }
    rooms.deliver()
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)
  }

  @Test("both invite at once, but the first names an absent user: the second counts")
  func crossingRefused() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b", user: "nobody")
    try rooms.invite("b", "a")
    rooms.deliver()
    #expect(rooms.invitations("a").map(\.pkId) == ["b-a"] && rooms.invitations("b").map(\.pkId) == ["b-a"])
    try rooms.accept("a")
    rooms.deliver()
    #expect(rooms.pk("a")?.pkId == "b-a" && rooms.pk("b")?.pkId == "b-a")
  }

  @Test("cancelled while the acceptance is in flight: no PK, and both rooms report it")
  func cancelCrossesAccept() throws {
    for cancelFirst in [true, false] {
      var rooms = try Rooms("a", "b")
      try rooms.invite("a", "b")
      rooms.deliver()
      try rooms.accept("b")
      try rooms["a"].room.cancelPK("a-b", by: .api)
      rooms.look()
      let accept = rooms.mail.removeFirst()
      rooms.collect()
      let cancel = PKMessage(pkId: "a-b", from: "a", to: "b", body: .cancel(.cancelled))
      rooms.mail = []
      for message in cancelFirst ? [cancel, accept] : [accept, cancel] { rooms.mail.append(message) }
      rooms.deliver()
      #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
      #expect(rooms.invitations("b").isEmpty)
      let ends = rooms.told("b").filter { if case .pkInvitationEnded = $0 { true } else { false } }
      #expect(ends.count == 1)
      rooms.wait(60_000)
      #expect(rooms.told("b").isEmpty)
    }
  }

  @Test("a cancel that overtakes its invitation, and a duplicate invitation, leave no state")
  func overtaken() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    let invite = rooms.mail[0]
    rooms.mail = []
    try rooms["a"].room.cancelPK("a-b", by: .api)
    rooms.deliver()
    rooms.deliver(invite)
    #expect(rooms.invitations("b").isEmpty && rooms.told("b").isEmpty)

    try rooms.invite("a", "b", id: "2")
    let second = rooms.mail[0]
    rooms.deliver()
    rooms.deliver(second)
    #expect(rooms.invitations("b").count == 1)
    try rooms.accept("b")
    rooms.deliver()
    rooms.deliver(second)
    #expect(rooms.pk("b")?.pkId == "2" && rooms.invitations("b").isEmpty)
    try rooms["b"].room.quitPK(by: .api)
    rooms.deliver()
    rooms.deliver(second)
    #expect(rooms.invitations("b").isEmpty)
  }

  @Test("an update that overtakes the start message starts the PK; a duplicate start has no effect")
  func updateFirst() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    rooms.deliver()
    try rooms.accept("b")
    rooms.deliver(rooms.mail.removeFirst())
    let begin = rooms.mail
    rooms.mail = []
    try rooms["a"].room.setPKScore(7, by: .api)
    rooms.collect()
    rooms.deliver()
    #expect(rooms.pk("b")?.peerScore == 7 && rooms.pk("b")?.startedAt == rooms.pk("a")?.startedAt)
    for message in begin + begin { rooms.deliver(message) }
    rooms.deliver()
    #expect(rooms.pk("b")?.peerScore == 7 && rooms.pk("a")?.pkId == "a-b")
  }

  @Test("an acceptance without an answer times out")
  func lostBegin() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    rooms.deliver()
    try rooms.accept("b")
    rooms.mail = []
    rooms.look()
    rooms["b"].wait(10_000)
    guard case .pkInvitationEnded(let data)? = rooms["b"].look().last else { return #expect(Bool(false)) }
    #expect(data.outcome == .failed && data.error?.code == .pkBeginFailed)
    #expect(rooms["b"].room.nextDeadline == nil)
  }

  @Test("an accepted invitation can be cancelled")
  func quitBeforeBegin() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    rooms.deliver()
    try rooms.accept("b")
    try rooms["b"].room.quitPK(by: .user("host-b"))
    rooms.deliver()
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
    #expect(rooms.invitations("a").isEmpty && rooms.invitations("b").isEmpty)
  }

  @Test("a closing room ends its invitations to and from other rooms")
  func closing() throws {
    var rooms = try Rooms("a", "b", "c", "d")
    try rooms.invite("a", "b")
    try rooms.invite("c", "a")
    try rooms.invite("d", "a")
    rooms.deliver()
    rooms["a"].room.close()
    rooms.deliver()
    for name: RoomName in ["b", "c", "d"] { #expect(rooms.invitations(name).isEmpty, "\(name)") }
    guard case .pkInvitationEnded(let data)? = rooms.told("c").last else { return #expect(Bool(false)) }
    #expect(data.error?.code == .noSuchRoom)
    // Also while the acceptance is in flight.
    try rooms.invite("b", "c")
    rooms.deliver()
    try rooms.accept("c")
    rooms["b"].room.close()
    rooms.deliver()
    #expect(rooms.pk("c") == nil && rooms.invitations("c").isEmpty)
  }

  @Test("messages of unrelated rooms have no effect")
  func strangers() throws {
    var rooms = try Rooms.inPK()
    let id = try #require(rooms.pk("a")?.pkId)
    let bodies: [PKMessage.Body] = [
      .invite(host: "x", user: "", mode: .bridge, by: "", duration: nil), .cancel(.cancelled), .accept(host: "x"),
      .reject(.rejected, reason: nil, error: nil), .begin(startedAt: 1, endsAt: 5), .end(.quit, by: ""),
      .update(PKUpdate(version: 99, startedAt: 1, endsAt: 7, score: 9, mutesPeer: true, atHome: false, hasGuest: true)),
    ]
    for body in bodies {
      for (from, to): (RoomName, RoomName) in [("x", "a"), ("b", "elsewhere"), ("a", "a")] {
        rooms["a"].room.receive(PKMessage(pkId: id, from: from, to: to, body: body))
      }
    }
    rooms.mail = []
    #expect(rooms.told("a").isEmpty)
    #expect(rooms.pk("a")?.pkId == id && rooms.pk("a")?.peerScore == 0)
  }
}
