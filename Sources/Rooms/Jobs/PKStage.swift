import RoomProtocol
import RoomSFU
import RoomWebRTC

/// A PK's effects on a room's media.
struct PKStage: Sendable {
  /// Another anchor, as a participant of this room.
  struct Guest: Sendable {
    /// The anchor's room.
    let room: RoomName
    /// The anchor's user id in that room.
    let anchor: UserID
    /// The anchor's user id in this room.
    let user: UserID
    /// Whether the anchor is muted in this room.
    var isMuted: Bool
    /// Whether the stage shows the anchor. The stage does once its tracks have arrived, so that no part of the picture starts
    /// empty.
    var isShown = false
    /// The lending room's ids of the linked tracks, by their ids in this room.
    var carried: [MediaTrackID: MediaTrackID] = [:]
  }

  var info: PKInfo
  /// The other anchors in this room, in the order in which they joined; empty if it is this room's anchor that moved.
  var guests: [Guest]

  /// - Parameter room: the room that shows the guests.
  init(_ info: PKInfo, in room: RoomName) {
    self.info = info
    guests =
      switch info.mode {
      case .move: info.inviter ? [] : [Guest(room: info.room, anchor: info.userId, user: info.userId, isMuted: info.peerMuted)]
      case .bridge:
        (info.members?.filter { $0.room != room }.map { ($0.room, $0.userId, $0.muted) }
          ?? [(info.room, info.userId, info.peerMuted)])
          .map { Guest(room: $0, anchor: $1, user: UserID("\($1)@\($0)"), isMuted: $2) }
      }
  }

  var shown: [Guest] { guests.filter(\.isShown) }

  /// A guest by the user id in this room.
  subscript(user: UserID) -> Guest? {
    get { guests.first { $0.user == user } }
    set {
      guard let newValue, let index = guests.firstIndex(where: { $0.user == user }) else { return }
      guests[index] = newValue
    }
  }

  /// The score of this room's anchor, or of a guest.
  func score(of guest: Guest?) -> Int {
    guard let guest else { return info.score }
    return info.members?.first { $0.room == guest.room }?.score ?? info.peerScore
  }
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
