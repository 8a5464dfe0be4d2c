import RoomProtocol
import RoomSFU
import RoomWebRTC

/// A track that a room lends to another during a PK.
struct LentTrack: Sendable {
  /// Its id in the lending room.
  var id: MediaTrackID
  var info: TrackInfo
  var parameters: RTPParameters
  /// The track itself, for the programs.
  var handle: LentHandle
}

/// All tracks that a room currently lends for a PK.
struct LentTracks: Sendable {
  var pkId: PKID
  var tracks: [LentTrack]
}

/// A lent track for the borrowing room's programs. The room itself only passes it on.
protocol LentHandle: AnyObject, Sendable {}
