import RoomProtocol
import RoomState
import Testing

@Suite("Messages")
struct MessageTests {
  @Test("a message is sent to everyone, in the room's order, with its number and time")
  func order() throws {
    var stage = try Stage.staffed()
    let before = stage.room.sequence
    let first = try stage.room.sendMessage(MessageParams(.text, text: "hello"), by: .user("eve"))
    stage.wait(7)
    let second = try stage.room.sendMessage(MessageParams(.gift, type: "rose", data: #"{"colour":"red"}"#, count: 3), by: .api)
    #expect(first == MessageResult(seq: before + 1, at: stage.room.clock - 7) && second.seq == before + 2)
    #expect(
      stage.look() == [
        .message(RoomMessage(seq: first.seq, userId: "eve", kind: .text, text: "hello", at: first.at)),
        .message(
          RoomMessage(
            seq: second.seq, userId: "", kind: .gift, type: "rose", data: #"{"colour":"red"}"#, count: 3, at: second.at)),
      ])
    #expect(stage.changes.map(\.audience) == [.everyone, .everyone])
  }

  @Test("a message to one user is sent only to that user and the sender")
  func toOne() throws {
    var stage = try Stage.staffed()
    _ = try stage.room.sendMessage(MessageParams(.text, text: "psst", to: "cid"), by: .user("bob"))
    stage.look()
    #expect(stage.changes.map(\.audience) == [.users(["cid", "bob"])])
    let after = stage.room.sequence - 1
    #expect(stage.room.changes(after: after, for: "cid")?.count == 1)
    #expect(stage.room.changes(after: after, for: "bob")?.count == 1)
    #expect(stage.room.changes(after: after, for: "dan")?.count == 0)
    #expect(stage.room.snapshot(for: nil).messages.isEmpty)
    _ = try stage.room.sendMessage(MessageParams(.text, text: "psst", to: "cid"), by: .api)
    stage.look()
    #expect(stage.changes.map(\.audience) == [.users(["cid"])])
    for user: UserID in ["nobody", "boss"] {
      stage.refused(.notInRoom, "no user") { room throws(RoomError) in
        _ = try room.sendMessage(MessageParams(.like, to: user), by: .user("bob"))
      }
    }
  }

  @Test("users that are absent or hidden can't send messages")
  func senders() throws {
    var stage = try Stage.staffed()
    stage.refused(.notInRoom) { room throws(RoomError) in
      _ = try room.sendMessage(MessageParams(.like), by: .user("nobody"))
    }
    stage.refused(.noPermission, "hidden") { room throws(RoomError) in
      _ = try room.sendMessage(MessageParams(.like), by: .user("boss"))
    }
  }

  @Test(
    "an invalid message fails with the name of the field",
    arguments: [
      (MessageParams(.text), "text"), (MessageParams(.text, text: ""), "text"), (MessageParams(.barrage, type: "x"), "text"),
      (MessageParams(.text, text: String(repeating: "x", count: 4097)), "text: 4097"), (MessageParams(.gift), "type"),
      (MessageParams(.gift, type: String(repeating: "x", count: 65)), "type: 65"), (MessageParams(.custom, data: "1"), "type"),
      (MessageParams(.custom, type: "x"), "data"), (MessageParams(.custom, type: "x", data: "{"), "data"),
      (MessageParams(.custom, type: "x", data: "\"" + String(repeating: "x", count: 65535) + "\""), "data: 65537"),
      (MessageParams(.custom, type: "x", data: "\"" + String(repeating: "x", count: 1 << 20) + "\""), "data: 1048578"),
      (MessageParams(.like, count: 0), "count"), (MessageParams(.like, count: 1_000_001), "count"),
    ])
  func validationErrors(params: MessageParams, part: String) throws {
    var stage = try Stage.staffed()
    stage.refused(.messageFailed, part) { room throws(RoomError) in _ = try room.sendMessage(params, by: .user("bob")) }
  }

  @Test("the largest custom message is accepted")
  func largest() throws {
    var stage = try Stage.staffed()
    let data = "\"" + String(repeating: "x", count: 65534) + "\""
    _ = try stage.room.sendMessage(MessageParams(.custom, type: "x", data: data), by: .user("bob"))
    #expect(stage.room.snapshot(for: "eve").messages.first?.data == data)
  }

  @Test("too many messages of one user are refused, those of others are not")
  func rate() throws {
    var stage = try Stage.staffed()
    for _ in 0..<20 { _ = try stage.room.sendMessage(MessageParams(.like), by: .user("bob")) }
    stage.refused(.messageFailed, "10 per second") { room throws(RoomError) in
      _ = try room.sendMessage(MessageParams(.like), by: .user("bob"))
    }
    _ = try stage.room.sendMessage(MessageParams(.like), by: .user("cid"))
    for _ in 0..<100 { _ = try stage.room.sendMessage(MessageParams(.like), by: .api) }
    stage.wait(99)
    stage.refused(.messageFailed) { room throws(RoomError) in _ = try room.sendMessage(MessageParams(.like), by: .user("bob")) }
    stage.wait(1)
    _ = try stage.room.sendMessage(MessageParams(.like), by: .user("bob"))
    // The burst is full again after its fill time, and not larger afterwards.
    stage.wait(100_000)
    for _ in 0..<20 { _ = try stage.room.sendMessage(MessageParams(.like), by: .user("bob")) }
    stage.refused(.messageFailed) { room throws(RoomError) in _ = try room.sendMessage(MessageParams(.like), by: .user("bob")) }
  }

  @Test("joining users receive the last messages, bounded in number and bytes, without likes")
  func history() throws {
    var rules = RoomRules()
    rules.historyMessages = 3
    rules.historyBytes = 10
    var stage = try Stage.staffed(rules: rules)
    for text in ["one", "two", "six", "ten"] { _ = try stage.room.sendMessage(MessageParams(.text, text: text), by: .api) }
    _ = try stage.room.sendMessage(MessageParams(.like), by: .api)
    #expect(stage.room.snapshot(for: "eve").messages.map(\.text) == ["two", "six", "ten"])
    _ = try stage.room.sendMessage(MessageParams(.barrage, text: "seven"), by: .api)
    #expect(stage.room.snapshot(for: "eve").messages.map(\.text) == ["ten", "seven"])
    _ = try stage.room.sendMessage(MessageParams(.text, text: "more than ten bytes"), by: .api)
    #expect(stage.room.snapshot(for: "eve").messages.isEmpty)
  }

  @Test("the history can be disabled")
  func noHistory() throws {
    var rules = RoomRules()
    rules.historyMessages = 0
    var stage = try Stage.staffed(rules: rules)
    _ = try stage.room.sendMessage(MessageParams(.text, text: "x"), by: .api)
    #expect(stage.room.snapshot(for: "eve").messages.isEmpty)
  }
}
