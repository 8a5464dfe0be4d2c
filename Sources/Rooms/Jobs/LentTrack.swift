import RoomProtocol
import RoomRelay
import RoomSFU
import RoomWebRTC

/// Who borrows a user's tracks of a room: another room, for its PK, or to show the user as a participant of its own.
package struct Borrower: Hashable, Sendable {
  package var room: RoomName
  /// The user that the room shows; nil for a PK, which borrows the anchor's main tracks.
  package var forwarded: UserID?

  package init(_ room: RoomName, forwarded: UserID? = nil) {
    self.room = room
    self.forwarded = forwarded
  }
}

/// A track that a room lends to another.
package struct LentTrack: Sendable {
  /// The track's id in the lending room.
  package var id: MediaTrackID
  package var info: TrackInfo
  package var parameters: RTPParameters
  /// The track itself, for the programs.
  package var handle: any LentHandle

  package init(id: MediaTrackID, info: TrackInfo, parameters: RTPParameters, handle: any LentHandle) {
    self.id = id
    self.info = info
    self.parameters = parameters
    self.handle = handle
  }
}

/// All tracks that a room currently lends for a PK.
struct LentTracks: Sendable {
  var pkId: PKID
  var room: RoomName
  var tracks: [LentTrack]
}

/// The media of a lent track, for the borrowing room's programs. The room itself only passes it on.
package protocol LentHandle: AnyObject, Sendable {
  /// The track, decoded once for all rooms of this server; nil if the borrowing room decodes its copy.
  var decoded: DecodedTrack? { get }
  /// The layers of the track, 1…3.
  var layers: Int { get }
  /// Starts to copy the packets into a track of the borrowing room, with as many layers.
  /// - Returns: ends the copy.
  func copy(to injection: TrackInjection) -> @Sendable () -> Void
  /// Sets the size in which the mixes of a room show the track; nil if none does. Of ``decoded``, the largest of these is decoded.
  func show(_ size: PictureSize?, by room: ObjectIdentifier)
}
