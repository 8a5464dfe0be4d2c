import Relay
import RoomProtocol

/// The broadcast that a job asks for.
struct BroadcastRequest: Sendable {
  var url: PublishURL
  var claim: BroadcastClaim
  var recording: RecordingName?
  /// Whether the job ran when the server ended.
  var isRestored: Bool
}

/// The broadcast that a job got.
struct BroadcastGrant: Sendable, Hashable {
  /// Whether it goes to this server's origin or into a file, with no connection that could fail.
  var isDirect: Bool
  var recording: RecordingName?
}

/// What a job sends.
enum JobProgram: Sendable {
  case forward(audio: TrackSourceID?, video: TrackSourceID?, carriesAudio: Bool, carriesVideo: Bool)
  case mix(MixID, hasVideo: Bool, audioBitrate: Int?)
}
