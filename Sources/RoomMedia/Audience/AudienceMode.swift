import RoomClient
import RoomProtocol

/// How an audience member watches a room.
public enum AudienceMode: Sendable, Hashable {
  /// In the room, over WebRTC: the room's mix, or its tracks.
  case lowLatency
  /// The room's stream on the server's own origin: as it is published, or a variant with a size and frame rate of its own.
  case ownCDN(PlayPicture = .original)
  /// The room's stream on a CDN. Without a URL it is the first playable one of `PlayURLs.others`, by their names.
  case thirdParty(url: String? = nil)
}

/// What an audience member has to show now. New versions of the library may add cases, so a `switch` should have a `default`.
public enum AudienceChange: Sendable {
  /// The tracks of the room: `Room.remoteTracks`.
  case lowLatency
  /// The pictures and the sound of a player.
  case stream(StreamPlayer)
  /// The stream ended, or was lost for good with this failure. The stream is played again when a job of the room is on air.
  case streamEnded(StreamFailure?)
  /// The stream could not be played after the user left its seat. The tracks of the room are still received.
  case failed(StreamFailure)
}
