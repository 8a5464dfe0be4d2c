import RoomPush
import RoomRelay
import RoomProtocol
import RoomSFU

/// A relay job of a room: its program and its state.
struct Job: Sendable {
  /// The job's selection for one kind: whichever track of one user has the tag.
  struct Choice: Codable, Hashable, Sendable {
    var user: UserID
    /// Nil for the main track.
    var tag: String?
  }

  /// The tracks that a job records, each into a file of its own.
  struct TrackChoice: Codable, Hashable, Sendable {
    /// Nil for everybody in the room.
    var user: UserID?
    /// Nil for any tag.
    var tag: String?
    var kinds: Set<TrackKind>
  }

  /// A participant's tracks, forwarded without mixing.
  struct Forward: Sendable {
    let audio: Choice?
    let video: Choice?
    /// The tracks that are sent now.
    var audioTrack: TrackSourceID?
    var videoTrack: TrackSourceID?

    var program: JobProgram {
      .forward(audio: audioTrack, video: videoTrack, carriesAudio: audio != nil, carriesVideo: video != nil)
    }
  }

  /// The program that the job sends.
  enum Program: Sendable {
    case forward(Forward)
    case merge(MixID, MergeParams)
    /// The composition of the users on stage.
    case stage(MixID)
    /// Files of single tracks.
    case tracks(TrackChoice)
  }

  let id: JobID
  /// Nil for a mix that is only published into the room.
  let broadcast: BroadcastGrant?
  /// Nil for a mix that is only published into the room.
  let url: PublishURL?
  /// The room that its broadcast belongs to: during a PK by move, the guest's own room.
  let owner: RoomName?
  var program: Program
  /// How a merge job shows everybody in the room; nil for one with layouts of its own.
  var arrangement: RoomArrangement?
  var info: JobInfo
  /// The tracks that a forward job sends unless it follows something else; nil for a merge job.
  var base: Forward?
  /// The mix that its broadcast sends now; nil while it sends tracks.
  var sentMix: MixID?
  /// The tracks that it records now, each into a file of its own.
  var recorded: [RecordedTrack] = []
  /// Whether both anchors of the PK are on air.
  var showsPK = false
  /// When it first was on air, in milliseconds since 1970.
  var onAirAt: Int64?
  /// Whether a call has stopped it: it is no longer stored, though it may take a moment to end.
  var isStopping = false

  /// What a forward job shows while the room changes.
  var follow: JobFollow { info.follow ?? .anchor }

  var mix: MixID? {
    switch program {
    case .forward, .tracks: nil
    case .merge(let mix, _), .stage(let mix): mix
    }
  }
}

extension JobFailure {
  init(_ failure: PushFailure) { self.init(cause: JobFailureCause(rawValue: failure.name), message: failure.description) }
}

extension JobState {
  init(_ state: PushState) { self.init(rawValue: state.rawValue) }
}

/// The parameters of a job that starts, while its broadcast and its mix are made.
struct NewJob: Sendable {
  enum Program: Sendable {
    case forward(audio: Job.Choice?, video: Job.Choice?, JobFollow)
    case merge(MixID, MergeParams)
    /// The composition of the users on stage, published for the audience.
    case stage(MixID)
    case tracks(Job.TrackChoice)
  }

  let id: JobID
  let program: Program
  /// How a merge job shows everybody in the room; nil for one with layouts of its own.
  var arrangement: RoomArrangement?
  let url: PublishURL?
  let claim: BroadcastClaim
  let requester: Requester
  /// Milliseconds since 1970; nil for now.
  let startedAt: Int64?
  /// The user who started it; empty for the API and for the room itself.
  let by: UserID
}

/// The caller that waits for the result of a call.
enum Requester: Sendable {
  case client(UserID, ConnectionID, request: Int)
  case api
  /// The room itself, which needs no answer.
  case room
}
