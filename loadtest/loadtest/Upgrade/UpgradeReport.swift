/// What the bots of an upgrade have measured.
struct UpgradeReport: Codable, Sendable {
  /// The longest silence of any user at any listener, and the longest time without a picture; ms.
  var silenceMs: Int64
  var freezeMs: Int64
  /// The listener with the longest silence, the user whose sound was missing, and the time.
  var quietest: String
  /// How often listeners joined, at first and again.
  var joins: Int
  var listeners: Int
  /// Listeners that are not in their rooms at the end, and rooms that do not exist any more.
  var lostListeners: [String]
  var lostRooms: [String]
  /// Whether both anchors are in the PK at the end.
  var pk: Bool
  /// Lives on the air at the end, of this many.
  var onAir: Int
  var lives: Int
  /// The longest step of their timestamps, in ms, and the number of those that do not grow.
  var longestStepMs: Int64
  var backward: Int
  /// How often the lives were connected.
  var connections: Int

  /// Whether nothing was lost.
  var isComplete: Bool { lostListeners.isEmpty && lostRooms.isEmpty && pk && onAir == lives && backward == 0 }
}
