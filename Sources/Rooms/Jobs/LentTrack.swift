import RoomProtocol
import SFU
import WebRTC

/// A track that a room lends to another during a PK.
struct LentTrack: Sendable {
  /// The lender's id of it.
  var id: MediaTrackID
  var info: TrackInfo
  var parameters: RTPParameters
  /// The track itself, for the programs.
  var handle: LentHandle
}

/// All tracks that a room lends for a PK now.
struct LentTracks: Sendable {
  var pkId: PKID
  var tracks: [LentTrack]
}

/// A lent track as the borrower's programs take it. The room itself only passes it on.
protocol LentHandle: AnyObject, Sendable {}
