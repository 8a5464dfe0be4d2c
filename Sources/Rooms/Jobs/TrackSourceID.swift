import RoomProtocol
import SFU

/// A track as programs take it.
struct TrackSourceID: Hashable, Sendable {
  var track: MediaTrackID
  var isVideo: Bool
  /// The session whose tracks share a clock with it.
  var session: SessionID
}

/// A track in a mix, by the mix's name for it.
struct MixTrackID: Hashable, Sendable {
  var input: String
  var source: TrackSourceID
}
