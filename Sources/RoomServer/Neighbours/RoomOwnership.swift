import RoomEngine
import RoomProtocol

/// Which rooms this server may run: in a cluster, those that it owns.
package protocol RoomOwnership: Sendable {
  /// Whether this server owns a room now.
  func owns(_ room: RoomName) -> Bool
  /// Makes this server the owner of a room without one.
  /// - Throws: an error of this code, with `redirect` if another server owns the room.
  func acquire(_ room: RoomName, or code: ErrorCode) async throws(RoomError)
  /// Whether any server has a room.
  /// - Throws: 80302 if that is not known now.
  func isOpen(_ room: RoomName) async throws(RoomError) -> Bool
  /// Returns the signalling URL of the server that owns a room, or else of one that could open it; nil if there is none.
  func elsewhere(_ room: RoomName) async -> String?
  /// The signalling URL of another server that could open a room; nil if there is none.
  var alternative: String? { get }
  /// Loads what is stored of rooms, with the start times of all broadcasts.
  func load(_ rooms: [RoomName]) async throws -> StoredServer
  /// Gives up a room that has closed.
  func release(_ room: RoomName) async
}
