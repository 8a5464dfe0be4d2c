import RoomProtocol
import RoomSFU
import RoomWebRTC

/// A PK's effects on a room's media.
struct PKStage: Sendable {
  var info: PKInfo
  /// The other anchor's user id in this room; nil if it is this room's anchor that moved.
  let guest: UserID?
  /// Whether the stage shows both anchors. The stage does once the other anchor's tracks have arrived, so that no half starts
  /// empty.
  var isShown = false
  /// The lending room's ids of the linked tracks, by their ids in this room.
  var carried: [MediaTrackID: MediaTrackID] = [:]
}

/// The tracks of one user that a room lends.
struct Lending: Sendable {
  let user: UserID
  /// The tracks last sent to the borrower.
  var sent: [Sent]?

  struct Sent: Hashable, Sendable {
    var track: MediaTrackID
    var isMuted: Bool
    var codecs: [RTPCodec]
  }
}
