import RoomProtocol
import SFU
import WebRTC

/// What a PK changes in a room's media.
struct PKStage: Sendable {
  var info: PKInfo
  /// The other anchor's user id in this room; nil if it is this room's anchor that moved.
  let guest: UserID?
  /// Whether broadcasts show both anchors: from when the other's tracks are here, so that no half is empty at first.
  var isShown = false
  /// The lender's ids of the tracks that are carried here, by the ids of this room.
  var carried: [MediaTrackID: MediaTrackID] = [:]
}

/// What a room lends of one user to another room.
struct Lending: Sendable {
  let user: UserID
  /// The tracks that the borrower was sent last.
  var sent: [Sent]?

  struct Sent: Hashable, Sendable {
    var track: MediaTrackID
    var isMuted: Bool
  }
}
