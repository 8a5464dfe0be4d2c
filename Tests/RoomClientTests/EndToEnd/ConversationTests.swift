import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Messages and attributes, with a real server", .serialized, .timeLimit(.minutes(3)))
struct ConversationTests {
  /// Returns the next messages.
  private func messages(_ count: Int, _ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> [RoomMessage] {
    var messages: [RoomMessage] = []
    for _ in 0..<count {
      messages.append(
        try await room.first("message \(messages.count)", in: events) { event in
          if case .message(let message) = event { message } else { nil }
        })
    }
    return messages
  }

  @Test("all participants receive one order, the sender too; a new participant receives the history") func talks() async throws
  {
    struct Stroke: Codable, Equatable {
      var points: [Int]
    }
    try await onStage { stage in
      let ada = try await stage.join("ada")
      let bob = try await stage.join("bob")
      let (hers, his) = (ada.events(), bob.events())
      let first = try await ada.messages.send("hello")
      try await bob.messages.sendBarrage("wow")
      try await bob.messages.sendLike(count: 20)
      try await ada.messages.sendGift("rose", count: 3, text: "for you")
      try await ada.messages.sendCustom("stroke", Stroke(points: [1, 2]))
      let told = try await messages(5, ada, hers)
      #expect(try await messages(5, bob, his) == told)
      #expect(told.map(\.kind) == [.text, .barrage, .like, .gift, .custom])
      #expect(told.map(\.userId) == ["ada", "bob", "bob", "ada", "ada"])
      #expect(zip(told, told.dropFirst()).allSatisfy { $0.seq < $1.seq })
      #expect((told[0].seq, told[0].at) == (first.seq, first.at))
      #expect(told[2].count == 20)
      #expect((told[3].type, told[3].count, told[3].text) == ("rose", 3, "for you"))
      #expect(told[4].decoded(as: Stroke.self) == Stroke(points: [1, 2]))
      let eve = try await stage.join("eve")
      #expect(eve.messages.history == told.filter { $0.kind != .like })
      #expect(eve.messages.history == ada.messages.history)
      for room in [ada, bob, eve] { await room.leave() }
    }
  }

  @Test("a message to one user reaches only the two") func whispers() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada")
      let bob = try await stage.join("bob")
      let eve = try await stage.join("eve")
      let (his, others) = (bob.events(), eve.events())
      try await ada.messages.send("psst", to: "bob")
      try await ada.messages.send("to all")
      #expect(try await messages(2, bob, his).map(\.text) == ["psst", "to all"])
      #expect(try await messages(1, eve, others).map(\.text) == ["to all"])
      #expect(bob.messages.history.map(\.text) == ["to all"])
      #expect(try await code { try await ada.messages.send("?", to: "nobody") } == .notInRoom)
      for room in [ada, bob, eve] { await room.leave() }
    }
  }

  @Test("the rate limit rejects only the participant that exceeds it") func paces() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada")
      let bob = try await stage.join("bob")
      var codes: [ErrorCode?] = []
      for _ in 0..<60 { codes.append(try await code { try await ada.messages.sendLike() }) }
      #expect(codes.prefix(20).allSatisfy { $0 == nil })
      #expect(codes.contains(.messageFailed))
      try await bob.messages.sendLike()
      await ada.leave()
      await bob.leave()
    }
  }

  @Test("the largest messages are accepted") func sendsLargest() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada")
      let events = ada.events()
      // Quotes and backslashes double in size on the wire.
      let text = String(repeating: "\\\"", count: 2048)
      try await ada.messages.send(text)
      let data = "\"" + String(repeating: "\\\"", count: 32_767) + "\""
      #expect(data.utf8.count == 65_536)
      try await ada.messages.send(MessageParams(.custom, type: "big", data: data))
      let told = try await messages(2, ada, events)
      #expect(told.map(\.text) == [text, nil])
      #expect(told.map(\.data) == [nil, data])
      await ada.leave()
    }
  }

  @Test("attributes are set and removed atomically, reach all participants, and a new one receives them") func knows()
    async throws
  {
    try await onStage { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada")
      let hers = ada.events()
      try await host.attributes.set(["title": "quiz", "round": "1"])
      let told = try await ada.first("attributesChanged", in: hers) { event in
        if case .attributesChanged(let data) = event { data } else { nil }
      }
      #expect((told.set, told.removed, told.by) == (["title": "quiz", "round": "1"], [], "hal"))
      try await host.attributes.change(set: ["round": "2"], remove: ["title", "none"])
      let changed = try await ada.first("attributesChanged", in: hers) { event in
        if case .attributesChanged(let data) = event { data } else { nil }
      }
      #expect((changed.set, changed.removed) == (["round": "2"], ["title"]))
      #expect(ada.attributes.all == ["round": "2"])
      #expect(ada.attributes["title"] == nil)
      #expect(try await code { try await ada.attributes.set(["round": "3"]) } == .noPermission)
      let eleven = Dictionary(uniqueKeysWithValues: (0..<11).map { ("k\($0)", "v") })
      #expect(try await code { try await host.attributes.set(eleven) } == .updateRoomFailed)
      let eve = try await stage.join("eve")
      #expect(eve.attributes.all == ["round": "2"])
      try await host.attributes.remove(["round"])
      try await eventually("it is removed for all") { eve.attributes.all.isEmpty && ada.attributes.all.isEmpty }
      for room in [host, ada, eve] { await room.leave() }
    }
  }
}
