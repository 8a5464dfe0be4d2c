import RoomProtocol
import RoomSFU

/// A participant of another room whose tracks appear in this one.
struct Forward: Sendable {
  let source: RoomName
  /// The other room's ids of the linked tracks, by their ids in this room.
  var carried: [MediaTrackID: MediaTrackID] = [:]
}
