import RoomProtocol
import Testing

@testable import RoomState

/// A room under test with its users, its recorded outputs and its clock.
struct Stage {
  var room: RoomState
  /// Changes since the last look.
  private(set) var changes: [(change: RoomChange, audience: Audience)] = []
  private(set) var effects: [Effect] = []
  private(set) var messages: [PKMessage] = []

  static let start: Int64 = 1_700_000_000_000

  init(_ name: RoomName = "a", rules: RoomRules = RoomRules()) {
    room = RoomState(name: name, createdAt: Self.start, rules: rules)
  }

  /// Returns a stage with a host ("host") and guests that may publish ("bob", "cid", "dan") or not ("eve").
  static func staffed(_ layout: LayoutType = .gridFour, rules: RoomRules = RoomRules()) throws -> Stage {
    var stage = Stage(rules: rules)
    try stage.join("host", [.admin, .publish, .subscribe])
    for user: UserID in ["bob", "cid", "dan"] { try stage.join(user, [.publish, .subscribe]) }
    try stage.join("eve", .subscribe)
    try stage.join("boss", [.admin, .subscribe, .hidden])
    if layout != .oneToOne { try stage.room.setLayout(LayoutParams(layout), by: .api) }
    stage.look()
    return stage
  }

  mutating func join(_ user: UserID, _ grants: Grants, pkGuest: PKID? = nil) throws {
    try room.join(user, grants: grants, pkGuest: pkGuest)
  }

  mutating func wait(_ milliseconds: Int64) { room.advance(to: room.clock + milliseconds) }

  /// Returns the changes since the last look.
  @discardableResult mutating func look() -> [RoomChange] {
    changes = []
    effects = []
    messages = []
    gather()
    return changes.map(\.change)
  }

  /// Drops the recorded outputs.
  mutating func forget() {
    look()
    (changes, effects, messages) = ([], [], [])
  }

  /// Records the outputs of the latest calls.
  mutating func gather() {
    for output in room.takeOutputs() {
      switch output {
      case .change(let numbered, let audience): changes.append((numbered.change, audience))
      case .effect(let effect): effects.append(effect)
      case .peer(let message): messages.append(message)
      }
    }
  }

  mutating func takeMessages() -> [PKMessage] {
    defer { messages = [] }
    return messages
  }

  /// Checks that a call fails with the code and a message, and changes nothing.
  mutating func refused(
    _ code: ErrorCode, _ part: String = "", at location: SourceLocation = #_sourceLocation,
    _ call: (inout RoomState) throws(RoomError) -> Void
  ) {
    look()
    let before = room
    do {
      try call(&room)
      Issue.record("the call succeeded", sourceLocation: location)
    } catch {
      #expect(error.code == code, "\(error)", sourceLocation: location)
      #expect(error.name == code.name && error.name != "unknown", sourceLocation: location)
      #expect((part.isEmpty || error.message.contains(part)) && error.message.count > 10, "\(error)", sourceLocation: location)
    }
    #expect(room == before, sourceLocation: location)
  }

  func seat(of user: UserID) -> Int? { room.seats.index(of: user) }
}
