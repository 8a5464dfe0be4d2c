import RoomMixing
import RoomRelay
import RoomProtocol
import RoomSFU

/// Identifies a mix of a room.
struct MixID: Hashable, Sendable {
  let rawValue: UInt32
  init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// The content of a mix. Jobs with equal plans share one mix.
struct MixPlan: Hashable, Sendable {
  var picture: MixPicture?
  var layouts: [Item]
  var background: MergeBackground?
  var watermarks: [Watermark]
  var texts: [MergeText]
  /// The versions of the images it shows: a new image under the same name requires a new mix.
  var images: [String: Int]
  /// Who shares a mix; nil for all jobs with the same plan.
  var owner: Owner?

  enum Owner: Hashable, Sendable {
    /// A merge job that publishes the mix into the room.
    case job(JobID)
    /// The room: all jobs that show the stage send this mix.
    case stage
    /// Jobs that show everybody in this way: the room changes the layouts for all of them.
    case arrangement(RoomArrangement)
  }

  /// One entry of the layouts, with the tracks that it uses.
  struct Item: Codable, Hashable, Sendable {
    var layout: TrackLayout
    var audio: Job.Choice?
    var video: Job.Choice?

    /// Returns the name of a track within the mix.
    static func input(_ kind: TrackKind, _ choice: Job.Choice) -> String {
      "\(kind.rawValue)/\(choice.user)\(choice.tag.map { "/\($0)" } ?? "")"
    }

    /// The user or track that the app named.
    var name: String { layout.userId?.rawValue ?? layout.trackId?.rawValue ?? "" }
  }

  /// Returns the users whose tracks of a kind it contains.
  func users(_ kind: TrackKind) -> Set<UserID> {
    Set(layouts.compactMap { (kind == .audio ? $0.audio : $0.video)?.user })
  }
}

/// A mix of a room's tracks.
struct Mix: Sendable {
  var plan: MixPlan
  /// Whether it is running; false until the programs have made it.
  var isMade = false
  /// Number of jobs that send it.
  var uses = 1
  /// The tracks in it now; nil until they are first set.
  var tracks: [MixTrackID]?
  /// Entries of the layouts that currently have no track.
  var missing: [String] = []
  /// Set while it is published into the room.
  var published: Published?
  /// What the mix shows, if another room may show the same.
  var content: SharedContent?
  /// Whether ``content`` was offered to the other rooms of the server.
  var isOffered = false

  /// A mix as a participant of its room.
  struct Published: Sendable {
    var user: UserID
    /// The job that publishes it.
    var job: JobID
    var audioBitrate: Int
    /// For each speaker in the mix: a track without its own sound, which replaces the mix's audio track.
    var own: [UserID: Own] = [:]
  }

  struct Own: Sendable {
    var track: PublishedTrack
    var session: SessionID
  }
}
