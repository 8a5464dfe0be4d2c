import Relay
import RoomProtocol
import SFU

/// A job of a room: which tracks it sends, and how far it has come. Belongs to its `Room`, which alone touches it.
final class RelayJob {
  /// What a job takes of one kind: the tracks of one user under one tag, whichever it publishes.
  struct Choice: Codable, Hashable {
    var user: UserID
    /// Nil for the main track.
    var tag: String?
  }

  /// A participant's tracks, sent as they are.
  struct Forward {
    let audio: Choice?
    let video: Choice?
    /// What goes out now.
    var audioTrack: MediaTrackID?
    var videoTrack: MediaTrackID?
    var audioSource: DecodedTrack?
    var videoSource: TrackSource?
  }

  /// What it sends.
  enum Program {
    case forward(Forward)
    case merge(RoomMix, MergeParams)
  }

  let id: JobID
  /// Nil for a mix that goes into the room alone.
  let place: BroadcastDirectory.Place?
  /// Nil for a mix that goes into the room alone.
  let url: PublishURL?
  /// The room that its broadcast belongs to: during a PK by move the one that the guest comes from.
  let owner: RoomName?
  var program: Program
  var info: JobInfo
  /// What a split screen goes back to when its PK is over.
  var resting: Forward?
  /// A call has stopped it: it is not stored any more, though it may take a moment to end.
  var isStopping = false
  private var work: Task<Void, Never>?

  /// Does things with the broadcast one after the other.
  func run(_ next: @escaping @Sendable () async -> Void) {
    let before = work
    work = Task {
      await before?.value
      await next()
    }
  }

  init(
    id: JobID, place: BroadcastDirectory.Place?, url: PublishURL?, owner: RoomName?, program: Program, info: JobInfo
  ) {
    self.id = id
    self.place = place
    self.url = url
    self.owner = owner
    self.program = program
    self.info = info
  }

  var mix: RoomMix? { if case .merge(let mix, _) = program { mix } else { nil } }
}

extension JobFailure {
  init(_ failure: PushFailure) { self.init(cause: failure.name, message: failure.description) }
}
