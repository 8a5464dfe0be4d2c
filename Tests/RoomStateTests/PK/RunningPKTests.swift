import Foundation
import RoomProtocol
import RoomState
import Testing

@Suite("A running PK")
struct RunningPKTests {
  @Test("scores and mutes of each side are announced in both rooms")
  func scores() throws {
    var rooms = try Rooms.inPK()
    try rooms["a"].room.setPKScore(1200, by: .api)
    try rooms["b"].room.setPKScore(-5, by: .user("host-b"))
    try rooms["a"].room.mutePKPeer(true, by: .user("host-a"))
    rooms.deliver()
    let (a, b) = (try #require(rooms.pk("a")), try #require(rooms.pk("b")))
    #expect(a.score == 1200 && a.peerScore == -5 && a.peerMuted && !a.mutedByPeer)
    #expect(b.score == -5 && b.peerScore == 1200 && !b.peerMuted && b.mutedByPeer)
    #expect(rooms["b"].effects.last == .pkChanged(b))
    #expect(rooms.told("a").last == .pkChanged(a) && rooms.told("b").last == .pkChanged(b))
    // Setting the same value again is not a change.
    try rooms["a"].room.setPKScore(1200, by: .api)
    try rooms["a"].room.mutePKPeer(true, by: .api)
    rooms.deliver()
    #expect(rooms.told("a").isEmpty && rooms.told("b").isEmpty)
    rooms["a"].refused(.unknownMessage, "score") { room throws(RoomError) in try room.setPKScore(1 << 53, by: .api) }
    rooms["a"].refused(.unknownMessage, "score") { room throws(RoomError) in try room.setPKScore(.min, by: .api) }
    rooms["a"].refused(.noPermission) { room throws(RoomError) in try room.setPKScore(1, by: .user("eve-a")) }
    rooms["a"].refused(.noPermission) { room throws(RoomError) in try room.mutePKPeer(false, by: .user("eve-a")) }
    try rooms["a"].room.setPKScore(1 << 53 - 1, by: .api)
    rooms.deliver()
    #expect(rooms.pk("b")?.peerScore == 9_007_199_254_740_991)
  }

  @Test("duplicate and outdated updates are ignored")
  func oldNews() throws {
    var rooms = try Rooms.inPK()
    for score in 1...3 { try rooms["a"].room.setPKScore(score, by: .api) }
    rooms.collect()
    let news = rooms.mail
    rooms.mail = []
    for message in [news[2], news[0], news[1], news[2]] { rooms.deliver(message) }
    #expect(rooms.pk("b")?.peerScore == 3)
    #expect(rooms.told("b").count == 1)
  }

  @Test("either side can end it, with the scores, and both can start another")
  func quit() throws {
    for name: RoomName in ["a", "b"] {
      var rooms = try Rooms.inPK()
      try rooms["a"].room.setPKScore(3, by: .api)
      rooms.deliver()
      rooms.look()
      rooms["a"].refused(.noPermission) { room throws(RoomError) in try room.quitPK(by: .user("eve-a")) }
      let info = try #require(rooms.pk("a"))
      try rooms[name].room.quitPK(by: .user("host-\(name)"))
      rooms.deliver()
      #expect(rooms["a"].effects == [.pkEnded(info, .quit)])
      let end = PKEndedData(pkId: info.pkId, reason: .quit, room: name, by: "host-\(name)", score: 3, peerScore: 0)
      #expect(rooms.told("a") == [.pkEnded(end)])
      var other = end
      (other.score, other.peerScore) = (0, 3)
      #expect(rooms.told("b") == [.pkEnded(other)])
      rooms["a"].refused(.roomNotInPK) { room throws(RoomError) in try room.quitPK(by: .user("host-a")) }
      try rooms.invite("b", "a")
      rooms.deliver()
      try rooms.accept("a")
      rooms.deliver()
      #expect(rooms.pk("a")?.inviter == false && rooms.pk("a")?.score == 0)
    }
  }

  @Test("both end it at once")
  func quitTogether() throws {
    var rooms = try Rooms.inPK()
    try rooms["a"].room.quitPK(by: .api)
    try rooms["b"].room.quitPK(by: .api)
    rooms.deliver()
    #expect(rooms.told("a").count == 1 && rooms.told("b").count == 1)
  }

  @Test("an anchor that lost its connection returns in time, and both rooms are notified")
  func comesBack() throws {
    var rooms = try Rooms.inPK()
    rooms["a"].room.setConnected("host-a", false)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == false && rooms.pk("b")?.peerConnected == false)
    #expect(rooms.pk("a")?.peerConnected == true && rooms.pk("b")?.connected == true)
    rooms.wait(19_000)
    rooms["a"].room.setConnected("host-a", true)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == true && rooms.pk("b")?.peerConnected == true)
    rooms.wait(60_000)
    #expect(rooms.pk("a") != nil && rooms.pk("b") != nil)
  }

  @Test("an anchor that left and joined again resumes; its seat was reserved")
  func resume() throws {
    var rooms = try Rooms.inPK()
    rooms["b"].room.leave("host-b", .timedOut)
    rooms.deliver()
    #expect(rooms.pk("a")?.peerConnected == false)
    rooms.wait(5_000)
    try rooms["b"].join("other", [.admin, .publish])
    #expect(rooms["b"].room.host == nil)
    rooms["b"].refused(.seatTaken, "host-b") { room throws(RoomError) in _ = try room.takeSeat(0, by: "other") }
    rooms["b"].refused(.noPermission, "host-b") { room throws(RoomError) in _ = try room.resumePK(by: "other") }
    rooms["b"].refused(.notInRoom) { room throws(RoomError) in _ = try room.resumePK(by: "host-b") }
    try rooms["b"].join("host-b", .publish)
    // A short loss of the new connection does not resume the PK.
    rooms["b"].room.setConnected("host-b", false)
    rooms["b"].room.setConnected("host-b", true)
    rooms.deliver()
    #expect(rooms.pk("a")?.peerConnected == false)
    let info = try rooms["b"].room.resumePK(by: "host-b")
    #expect(info.connected && rooms["b"].room.host == "host-b")
    rooms.deliver()
    #expect(rooms.pk("a")?.peerConnected == true)
    rooms["b"].refused(.pkBeginFailed, "not interrupted") { room throws(RoomError) in _ = try room.resumePK(by: "host-b") }
  }

  @Test("an anchor that does not return ends the PK after the grace time, in both rooms")
  func lost() throws {
    var rooms = try Rooms.inPK()
    rooms["a"].room.setConnected("host-a", false)
    rooms.wait(19_000)
    #expect(rooms.pk("a") != nil)
    rooms.wait(1_000)
    for name: RoomName in ["a", "b"] {
      guard case .pkEnded(let data)? = rooms.told(name).last else { return #expect(Bool(false)) }
      #expect(data.reason == .lost && data.by == "")
    }
    #expect(rooms["a"].room.nextDeadline == nil && rooms["b"].room.nextDeadline == nil)
  }

  @Test("an anchor that leaves, is kicked, or leaves its seat ends it at once")
  func goes() throws {
    for how in 0..<4 {
      var rooms = try Rooms.inPK()
      switch how {
      case 0: rooms["a"].room.leave("host-a", .left)
      case 1: rooms["a"].room.leave("host-a", .kickedOut)
      case 2: try rooms["a"].room.leaveSeat(by: "host-a")
      default: try rooms["a"].room.kickFromSeat("host-a", by: .api)
      }
      rooms.deliver()
      #expect(rooms.pk("a") == nil && rooms.pk("b") == nil, "\(how)")
      guard case .pkEnded(let data)? = rooms.told("b").last else { return #expect(Bool(false)) }
      #expect(data.reason == .quit && data.room == "a")
    }
  }

  @Test("changing the layout does not affect it")
  func layout() throws {
    var rooms = try Rooms.inPK()
    try rooms["a"].room.setLayout(LayoutParams(.gridNine), by: .api)
    rooms.deliver()
    #expect(rooms.pk("a") != nil && rooms["a"].room.host == "host-a")
  }

  @Test("a room that closes ends it in the other")
  func closes() throws {
    var rooms = try Rooms.inPK()
    rooms["a"].room.close()
    rooms.deliver()
    guard case .pkEnded(let data)? = rooms.told("b").last else { return #expect(Bool(false)) }
    #expect(data.reason == .roomClosed && data.room == "a")
  }

  @Test("a silent room counts as unreachable, and its PK ends after the grace time")
  func silence() throws {
    var rooms = try Rooms.inPK()
    rooms.rooms["a"] = nil
    // The other room does not even answer that it does not exist.
    for _ in 0..<14 {
      rooms["b"].wait(1000)
      rooms["b"].gather()
      _ = rooms["b"].takeMessages()
    }
    #expect(rooms.pk("b")?.peerConnected == true)
    rooms["b"].wait(1000)
    #expect(rooms.pk("b")?.peerConnected == false)
    rooms["b"].wait(19_999)
    #expect(rooms.pk("b") != nil)
    rooms["b"].wait(1)
    guard case .pkEnded(let data)? = rooms.told("b").last else { return #expect(Bool(false)) }
    #expect(data.reason == .lost)
  }

  @Test("the next beat ends the PK if the other room no longer exists")
  func gone() throws {
    var rooms = try Rooms.inPK()
    rooms.rooms["a"] = nil
    rooms.wait(5000)
    guard case .pkEnded(let data)? = rooms.told("b").last else { return #expect(Bool(false)) }
    #expect(data.reason == .failed)
  }

  @Test("the next beat makes up for a lost start or end message")
  func beats() throws {
    var rooms = try Rooms("a", "b")
    try rooms.invite("a", "b")
    rooms.deliver()
    try rooms.accept("b")
    rooms.deliver(rooms.mail.removeFirst())
    rooms.mail = []
    #expect(rooms.pk("a") != nil && rooms.pk("b") == nil)
    rooms.wait(5000)
    #expect(rooms.pk("b") != nil)
    try rooms["a"].room.quitPK(by: .api)
    rooms.collect()
    rooms.mail = []
    rooms.wait(5000)
    #expect(rooms.pk("b") == nil)
  }

  @Test("both rooms restore the PK after a crash, with a new grace time")
  func crash() throws {
    var rooms = try Rooms.inPK()
    try rooms["a"].room.setPKScore(10, by: .api)
    rooms.deliver()
    let stored = try ["a", "b"].map { try JSONEncoder().encode(rooms[$0].room.stored) }
    try rooms["a"].room.setPKScore(11, by: .api)
    rooms.deliver()
    for (name, data) in zip(["a", "b"] as [RoomName], stored) {
      rooms[name].room = try JSONDecoder().decode(RoomState.self, from: data)
      rooms[name].room.restore(at: rooms[name].room.clock + 40_000)
    }
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == false && rooms.pk("a")?.peerConnected == false)
    rooms.wait(4000)
    for name: RoomName in ["a", "b"] { try rooms[name].join("host-\(name)", [.admin, .publish, .subscribe]) }
    rooms.deliver()
    for name: RoomName in ["a", "b"] {
      let info = try #require(rooms.pk(name))
      #expect(info.connected && info.peerConnected && rooms[name].room.host == "host-\(name)")
    }
    #expect(rooms.pk("b")?.peerScore == 10)
    // Later updates have a newer version.
    try rooms["a"].room.setPKScore(12, by: .api)
    rooms.deliver()
    #expect(rooms.pk("b")?.peerScore == 12)
  }
}

@Suite("PK by move")
struct MovingPKTests {
  @Test("the PK continues while its anchor moves to the other room; after quit the anchor returns")
  func there() throws {
    var rooms = try Rooms.inPK(.move)
    let id = try #require(rooms.pk("a")?.pkId)
    #expect(rooms.pk("a")?.mode == .move && rooms.pk("b")?.mode == .move)
    rooms["a"].room.leave("host-a", .left)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == false && rooms.pk("b")?.peerConnected == false)
    try rooms["b"].join("host-a", [.publish, .subscribe], pkGuest: id)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == true && rooms.pk("b")?.peerConnected == true)
    // The guest can't take a seat, and its own seat is reserved.
    rooms["b"].refused(.connectMicFailed, "PK") { room throws(RoomError) in _ = try room.takeSeat(-1, by: "host-a") }
    rooms["b"].refused(.connectMicFailed, "PK") { room throws(RoomError) in try room.requestSeat(-1, by: "host-a") }
    rooms["b"].refused(.connectMicFailed) { room throws(RoomError) in try room.inviteToSeat("host-a", index: -1, by: .api) }
    try rooms["a"].join("other", [.admin, .publish])
    #expect(rooms["a"].room.host == nil)
    rooms.wait(60_000)
    #expect(rooms.pk("a") != nil)

    try rooms["b"].room.quitPK(by: .user("host-a"))
    rooms.deliver()
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
    rooms["b"].room.leave("host-a", .left)
    try rooms["a"].join("host-a", [.admin, .publish])
    #expect(rooms["a"].room.host == "host-a")
  }

  @Test("a PK token is valid only for its PK and its anchor")
  func token() throws {
    var rooms = try Rooms.inPK(.move)
    let id = try #require(rooms.pk("a")?.pkId)
    rooms["b"].refused(.roomNotInPK) { room throws(RoomError) in try room.join("eve-a", grants: .publish, pkGuest: id) }
    rooms["b"].refused(.roomNotInPK) { room throws(RoomError) in try room.join("host-a", grants: .publish, pkGuest: "x") }
    rooms["a"].refused(.roomNotInPK) { room throws(RoomError) in try room.join("host-b", grants: .publish, pkGuest: id) }
    try rooms["b"].room.quitPK(by: .api)
    rooms.deliver()
    rooms["b"].refused(.roomNotInPK) { room throws(RoomError) in try room.join("host-a", grants: .publish, pkGuest: id) }

    var bridge = try Rooms.inPK()
    bridge["b"].refused(.roomNotInPK) { room throws(RoomError) in
      try room.join("host-a", grants: .publish, pkGuest: "a-b")
    }
  }

  @Test("the guest reconnects or joins again; otherwise the PK ends")
  func guestIsLost() throws {
    var rooms = try Rooms.inPK(.move)
    let id = try #require(rooms.pk("a")?.pkId)
    rooms["a"].room.leave("host-a", .left)
    try rooms["b"].join("host-a", .publish, pkGuest: id)
    rooms.deliver()
    rooms["b"].room.setConnected("host-a", false)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == false)
    rooms["b"].room.setConnected("host-a", true)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == true)
    rooms["b"].room.leave("host-a", .timedOut)
    rooms.wait(10_000)
    try rooms["b"].join("host-a", .publish, pkGuest: id)
    rooms.deliver()
    #expect(rooms.pk("a")?.connected == true && rooms.pk("b")?.peerConnected == true)
    rooms["b"].room.leave("host-a", .timedOut)
    rooms.wait(20_000)
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
  }

  @Test("the PK ends when the guest leaves")
  func guestGoes() throws {
    var rooms = try Rooms.inPK(.move)
    rooms["a"].room.leave("host-a", .left)
    try rooms["b"].join("host-a", .publish, pkGuest: "a-b")
    rooms.deliver()
    rooms["b"].room.leave("host-a", .left)
    rooms.deliver()
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
  }

  @Test("the guest must arrive within the grace time; rejoining its own room does not count")
  func neverArrives() throws {
    var rooms = try Rooms.inPK(.move)
    rooms["a"].room.leave("host-a", .left)
    rooms.deliver()
    rooms.wait(5000)
    try rooms["a"].join("host-a", [.admin, .publish])
    rooms["a"].refused(.pkBeginFailed, "room b") { room throws(RoomError) in _ = try room.resumePK(by: "host-a") }
    rooms.wait(15_000)
    #expect(rooms.pk("a") == nil && rooms.pk("b") == nil)
  }

  @Test("the invited side stays in its room")
  func invitedSide() throws {
    var rooms = try Rooms.inPK(.move)
    rooms["b"].room.leave("host-b", .timedOut)
    rooms.deliver()
    try rooms["b"].join("host-b", .publish)
    #expect(try rooms["b"].room.resumePK(by: "host-b").connected)
    rooms["b"].room.leave("host-b", .left)
    rooms.deliver()
    #expect(rooms.pk("a") == nil)
  }
}
