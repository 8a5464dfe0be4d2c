import Relay
import RoomProtocol
import SFU

/// A relay job of a room: which tracks it sends, and its state.
struct Job: Sendable {
  /// What a job takes of one kind: the tracks of one user under one tag, whichever it publishes.
  struct Choice: Codable, Hashable, Sendable {
    var user: UserID
    /// Nil for the main track.
    var tag: String?
  }

  /// A participant's tracks, sent as they are.
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

  /// What it sends.
  enum Program: Sendable {
    case forward(Forward)
    case merge(MixID, MergeParams)
  }

  let id: JobID
  /// Nil for a mix that goes into the room alone.
  let broadcast: BroadcastGrant?
  /// Nil for a mix that goes into the room alone.
  let url: PublishURL?
  /// The room that its broadcast belongs to: during a PK by move the one that the guest comes from.
  let owner: RoomName?
  var program: Program
  var info: JobInfo
  /// The forward that a split screen returns to when its PK is over.
  var resting: Forward?
  /// Whether that split screen is on air.
  var showsPK = false
  /// A call has stopped it: it is not stored any more, though it may take a moment to end.
  var isStopping = false

  var mix: MixID? { if case .merge(let mix, _) = program { mix } else { nil } }
}

extension JobFailure {
  init(_ failure: PushFailure) { self.init(cause: failure.name, message: failure.description) }
}

/// What a job that begins was asked for, while its broadcast and its mix are made.
struct NewJob: Sendable {
  enum Program: Sendable {
    case forward(audio: Job.Choice?, video: Job.Choice?)
    case merge(MixID, MergeParams)
  }

  let id: JobID
  let program: Program
  let url: PublishURL?
  let claim: BroadcastClaim
  let asker: Asker
  /// Milliseconds since 1970; nil for now.
  let startedAt: Int64?
  /// The user who started it; empty for the API and for the room itself.
  let by: UserID
}

/// Who waits for the result of a call.
enum Asker: Sendable {
  case client(UserID, ConnectionID, request: Int)
  case api
  /// The room itself: nobody waits.
  case room
}
