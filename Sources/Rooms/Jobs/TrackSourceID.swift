import RoomProtocol
import RoomSFU

/// Identifies a track for the programs.
struct TrackSourceID: Hashable, Sendable {
  var track: MediaTrackID
  var isVideo: Bool
  /// The session whose tracks share a clock with it.
  var session: SessionID
}

/// A track that a job records, with its publisher.
struct RecordedTrack: Hashable, Sendable {
  var source: TrackSourceID
  var user: UserID
  var tag: String?
}

/// A track in a mix, with its name within the mix.
struct MixTrackID: Hashable, Sendable {
  var input: String
  var source: TrackSourceID
}
