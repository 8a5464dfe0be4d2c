import Foundation
import RoomProtocol
import Testing

@testable import RoomState

@Suite("Journal of changes")
struct JournalTests {
  private func say(_ text: String, _ stage: inout Stage) throws {
    _ = try stage.room.sendMessage(MessageParams(.text, text: text), by: .api)
  }

  @Test("numbers grow by one; the changes after a number update an old snapshot")
  func replay() throws {
    var stage = try Stage.staffed()
    var snapshot = stage.room.snapshot(for: "eve")
    _ = try stage.room.takeSeat(1, by: "bob")
    try stage.room.requestSeat(-1, by: "cid")
    try stage.room.setAttributes(AttributeParams(set: ["a": "b"]), by: .api)
    try say("hello", &stage)
    let missed = try #require(stage.room.changes(after: snapshot.seq, for: "eve"))
    #expect(missed.map(\.seq) == Array(snapshot.seq + 1...snapshot.seq + 4))
    for change in missed { snapshot.apply(change, limits: RoomLimits()) }
    #expect(snapshot == stage.room.snapshot(for: "eve"))
    // Applying changes that the snapshot already contains has no effect.
    for change in missed { snapshot.apply(change, limits: RoomLimits()) }
    #expect(snapshot == stage.room.snapshot(for: "eve"))
    #expect(stage.room.changes(after: stage.room.sequence, for: "eve") == [])
  }

  @Test("a number that is too old or was never assigned requires a snapshot")
  func tooLongAgo() throws {
    var rules = RoomRules()
    rules.journalEntries = 5
    var stage = Stage(rules: rules)
    for index in 0..<200 { try say("\(index)", &stage) }
    #expect(stage.room.changes(after: 195, for: nil)?.map(\.seq) == [196, 197, 198, 199, 200])
    for seq in [194, 0, -1, .min, 201, .max] { #expect(stage.room.changes(after: seq, for: nil) == nil) }
    #expect(stage.room.journal.count == 5)
  }

  @Test("it is also bounded in bytes")
  func bytes() throws {
    var rules = RoomRules()
    rules.journalBytes = 10_000
    var stage = Stage(rules: rules)
    for _ in 0..<50 { try say(String(repeating: "x", count: 3000), &stage) }
    #expect(stage.room.changes(after: 47, for: nil)?.count == 3)
    #expect(stage.room.changes(after: 46, for: nil) == nil)
    _ = try stage.room.sendMessage(
      MessageParams(.custom, type: "x", data: "\"" + String(repeating: "x", count: 60_000) + "\""), by: .api)
    #expect(stage.room.changes(after: 50, for: nil) == nil && stage.room.changes(after: 51, for: nil) == [])
    try say("small", &stage)
    #expect(stage.room.changes(after: 51, for: nil)?.count == 1)
  }

  @Test("a stored room decodes to an equal value, and its timeouts continue")
  func stored() throws {
    var stage = try Stage.staffed()
    _ = try stage.room.takeSeat(1, by: "bob")
    try stage.room.setSeat(SeatSwitches(index: 1, video: false), by: .user("bob"))
    try stage.room.requestSeat(-1, by: "cid")
    try stage.room.inviteToSeat("dan", index: 2, by: .user("host"))
    try stage.room.setAttributes(AttributeParams(set: ["a": "b"]), by: .api)
    try say("hello", &stage)
    stage.look()
    let data = try JSONEncoder().encode(stage.room)
    var back = try JSONDecoder().decode(RoomState.self, from: data)
    #expect(back == stage.room && back.hashValue == stage.room.hashValue)
    #expect(back.nextDeadline == stage.room.nextDeadline)
    back.advance(to: back.clock + 30_000)
    stage.wait(30_000)
    #expect(back.takeOutputs().count == 2)
    stage.look()
    #expect(back == stage.room)

    let small = stage.room.stored
    #expect(small != stage.room && small.snapshot(for: nil) == stage.room.snapshot(for: nil))
    #expect(try JSONEncoder().encode(small).count < data.count)
    #expect(small.changes(after: small.sequence - 1, for: nil) == nil)
  }

  @Test("a room restored after a crash reuses no number, and users keep their seats while they reconnect")
  func restored() throws {
    var stage = try Stage.staffed()
    _ = try stage.room.takeSeat(1, by: "bob")
    var back = try JSONDecoder().decode(RoomState.self, from: try JSONEncoder().encode(stage.room.stored))
    // Lost with the crash.
    try say("never stored", &stage)
    let seen = stage.room.sequence
    back.restore(at: back.clock + 3000)
    #expect(back.sequence > seen)
    #expect(back.changes(after: seen, for: "bob") == nil)
    #expect(back.users == ["bob", "boss", "cid", "dan", "eve", "host"])
    try back.join("bob", grants: .publish)
    #expect(back.snapshot(for: "bob").seats[1].userId == "bob")
    back.leave("host", .timedOut)
    #expect(back.host == nil)
  }

  @Test("signalling calls reach the room; unrelated ones return nil")
  func perform() throws {
    var room = try Stage.staffed().room
    let now = room.clock + 5
    func call(_ call: SignalCall, by caller: Caller = .user("bob")) throws(RoomError) -> (any Codable & Sendable)? {
      try room.perform(call, by: caller, at: now) { "id" }
    }
    #expect(try call(.ping) == nil && call(.mute(MuteParams(trackId: "t", muted: true))) == nil)
    #expect(try call(.seats(.take(SeatParams()))) as? SeatResult == SeatResult(index: 1))
    #expect(room.clock == now)
    #expect(try call(.seats(.leave)) as? Empty == Empty())
    #expect(try call(.seats(.request(SeatParams(index: 2)))) as? Empty == Empty())
    let list = try call(.seats(.listRequests), by: .api) as? SeatRequestList
    #expect(list?.requests.map(\.userId) == ["bob"])
    #expect(try call(.seats(.acceptRequest(UserParams(userId: "bob"))), by: .api) as? SeatResult == SeatResult(index: 2))
    #expect(try call(.seats(.kick(UserParams(userId: "bob"))), by: .api) is Empty)
    #expect(try call(.seats(.request(SeatParams()))) is Empty)
    #expect(try call(.seats(.rejectRequest(UserParams(userId: "bob"))), by: .user("host")) is Empty)
    #expect(try call(.seats(.request(SeatParams()))) is Empty)
    #expect(try call(.seats(.cancelRequest)) is Empty)
    for answer in [SeatCall.acceptInvitation, .rejectInvitation] {
      #expect(try call(.seats(.invite(SeatInviteParams(userId: "cid", index: 1))), by: .api) is Empty)
      #expect(try call(.seats(answer), by: .user("cid")) != nil)
      try? room.leaveSeat(by: "cid")
    }
    #expect(try call(.seats(.invite(SeatInviteParams(userId: "cid"))), by: .api) is Empty)
    #expect(try call(.seats(.cancelInvitation(UserParams(userId: "cid"))), by: .api) is Empty)
    #expect(try call(.seats(.set(SeatSwitches(index: 1, locked: true))), by: .api) is Empty)
    #expect(try call(.seats(.setLayout(LayoutParams(.gridNine))), by: .api) is Empty)
    #expect(try call(.sendMessage(MessageParams(.like))) is MessageResult)
    #expect(try call(.setAttributes(AttributeParams(set: ["a": "b"])), by: .api) is Empty)
    let invited = try call(.pk(.invite(PKInviteParams(room: "other"))), by: .user("host")) as? PKInviteResult
    #expect(invited?.pkId == "id")
    #expect(try call(.pk(.cancel(PKParams(pkId: "id"))), by: .api) is Empty)
    let refused: [(PKCall, ErrorCode)] = [
      (.accept(PKParams(pkId: "id")), .pkAnswerFailed), (.reject(PKRejectParams(pkId: "id")), .pkAnswerFailed),
      (.mutePeer(PKMuteParams(muted: true)), .roomNotInPK), (.setScore(PKScoreParams(score: 1)), .roomNotInPK),
      (.resume, .roomNotInPK), (.quit, .roomNotInPK),
    ]
    for (pk, code) in refused {
      let error = #expect(throws: RoomError.self) { try call(.pk(pk), by: .user("host")) }
      #expect(error?.code == code, "\(pk)")
    }
    for own in [
      SeatCall.take(SeatParams()), .leave, .request(SeatParams()), .cancelRequest, .acceptInvitation, .rejectInvitation,
    ] {
      let error = #expect(throws: RoomError.self) { try call(.seats(own), by: .api) }
      #expect(error?.code == .noPermission, "\(own)")
    }
  }
}
