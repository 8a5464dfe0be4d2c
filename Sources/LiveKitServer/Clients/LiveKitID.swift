import RoomDigests
import RoomProtocol
import RoomServer
import RoomToken

/// The ids that LiveKit's clients have for what is in a room. Every session of a room makes the same ones. Track ids are the
/// room's own, which begin with `TR_`.
enum LiveKitID {
  /// The id of a room as long as it is open.
  static func room(_ name: RoomName, createdAt: Int64) -> String { "RM_" + digest("\(name) \(createdAt)") }

  /// The id of a participant as long as it stays.
  /// - Parameter joinedAt: milliseconds since 1970.
  static func participant(_ user: UserID, joinedAt: Int64, in room: RoomName) -> String {
    "PA_" + digest("\(room) \(user) \(joinedAt)")
  }

  private static func digest(_ text: String) -> String {
    String(Digest.sha256.digest(of: Array(text.utf8)).prefix(6).hexadecimal)
  }
}

extension Identifier {
  /// The name that the app of a LiveKit client chose.
  var foreignName: String { ForeignName(id: rawValue)?.text ?? rawValue }
}
