import RoomRelay
import RoomProtocol

/// The broadcast that a job requires.
struct BroadcastRequest: Sendable {
  var url: PublishURL
  var claim: BroadcastClaim
  var recording: RecordingName?
  /// Whether the job was running when the server stopped.
  var isRestored: Bool
}

/// The broadcast that was assigned to a job.
struct BroadcastGrant: Sendable, Hashable {
  /// Whether it goes to this server's origin or to a file, without a connection that could fail.
  var isDirect: Bool
  var recording: RecordingName?
}

/// The program of a job.
enum JobProgram: Sendable {
  case forward(audio: TrackSourceID?, video: TrackSourceID?, carriesAudio: Bool, carriesVideo: Bool)
  case mix(MixID, hasVideo: Bool, audioBitrate: Int?)
}
