import RoomEngine
import RoomServer
import RoomToken

extension RoomDirectory {
  /// Returns an open room.
  /// - Throws: `not_found` if there is none of this name.
  func openRoom(_ name: ForeignName) async throws(TwirpError) -> Room {
    guard let room = room(name.room) else { throw TwirpError(.notFound, "requested room does not exist") }
    return room
  }
}
