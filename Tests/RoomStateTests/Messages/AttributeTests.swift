import RoomProtocol
import RoomState
import Testing

@Suite("Attributes")
struct AttributeTests {
  private func keys(_ range: Range<Int>) -> [String: String] {
    Dictionary(uniqueKeysWithValues: range.map { ("k\($0)", "v") })
  }

  @Test("only changed attributes are announced to everyone")
  func change() throws {
    var stage = try Stage.staffed()
    try stage.room.setAttributes(AttributeParams(set: ["title": "Hello", "notice": "none"]), by: .user("host"))
    #expect(
      stage.look() == [
        .attributesChanged(AttributesChangedData(set: ["title": "Hello", "notice": "none"], removed: [], by: "host"))
      ])
    try stage.room.setAttributes(AttributeParams(set: ["title": "Hello", "x": "1"], remove: ["notice", "gone"]), by: .api)
    #expect(stage.look() == [.attributesChanged(AttributesChangedData(set: ["x": "1"], removed: ["notice"], by: ""))])
    #expect(stage.room.attributes == ["title": "Hello", "x": "1"])
    try stage.room.setAttributes(AttributeParams(set: ["x": "1"], remove: ["gone"]), by: .api)
    #expect(stage.look().isEmpty)
    #expect(stage.room.snapshot(for: "eve").attributes == ["title": "Hello", "x": "1"])
  }

  @Test("at most 50 attributes, 10 in a call; replacing one is always possible")
  func limits() throws {
    var stage = try Stage.staffed()
    for start in stride(from: 0, to: 50, by: 10) {
      try stage.room.setAttributes(AttributeParams(set: keys(start..<start + 10)), by: .api)
    }
    stage.refused(.updateRoomFailed, "50") { room throws(RoomError) in
      try room.setAttributes(AttributeParams(set: ["one more": ""]), by: .api)
    }
    try stage.room.setAttributes(AttributeParams(set: ["one more": ""], remove: ["k0"]), by: .api)
    try stage.room.setAttributes(AttributeParams(set: ["k1": "new"]), by: .api)
    #expect(stage.room.attributes.count == 50)
    stage.refused(.updateRoomFailed, "1 to 10") { [keys] room throws(RoomError) in
      try room.setAttributes(AttributeParams(set: keys(1..<12)), by: .api)
    }
    stage.refused(.updateRoomFailed, "1 to 10") { room throws(RoomError) in
      try room.setAttributes(AttributeParams(), by: .api)
    }
  }

  @Test("calls are atomic: one invalid key or value rejects all")
  func allOrNothing() throws {
    var stage = try Stage.staffed()
    stage.refused(.noPermission, "admin") { room throws(RoomError) in
      try room.setAttributes(AttributeParams(set: ["a": "b"]), by: .user("bob"))
    }
    stage.refused(.notInRoom) { room throws(RoomError) in
      try room.setAttributes(AttributeParams(set: ["a": "b"]), by: .user("nobody"))
    }
    for (bad, part) in [
      (["a": "1", "": "2"], "key"), (["a": "1", String(repeating: "k", count: 65): "2"], "65"),
      (["a": "1", "b": String(repeating: "v", count: 4097)], "4097"), (["a": "1", "gone": "2"], "gone"),
    ] {
      stage.refused(.updateRoomFailed, part) { room throws(RoomError) in
        try room.setAttributes(AttributeParams(set: bad, remove: ["gone"]), by: .api)
      }
    }
    let full = [String(repeating: "k", count: 64): String(repeating: "v", count: 4096)]
    try stage.room.setAttributes(AttributeParams(set: full), by: .api)
    #expect(stage.room.attributes == full)
  }
}
