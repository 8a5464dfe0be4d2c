import Mixing
import Relay
import RoomProtocol
import SFU

/// Names a mix of a room.
struct MixID: Hashable, Sendable {
  let rawValue: UInt32
  init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// What a mix shows. Jobs that want the same share one mix.
struct MixPlan: Hashable, Sendable {
  var picture: MixPicture?
  var layouts: [Item]
  var background: MergeBackground?
  var watermarks: [Watermark]
  var texts: [MergeText]
  /// Which versions of the images it shows: another image of the same name makes another mix.
  var images: [String: Int]
  /// The job whose mix goes into the room, which it does not share.
  var publishedBy: JobID?

  /// One entry of the layouts, with the tracks that it takes.
  struct Item: Codable, Hashable, Sendable {
    var layout: TrackLayout
    var audio: Job.Choice?
    var video: Job.Choice?

    /// The mix's name for a track.
    static func input(_ kind: TrackKind, _ choice: Job.Choice) -> String {
      "\(kind.rawValue)/\(choice.user)\(choice.tag.map { "/\($0)" } ?? "")"
    }

    /// The user or track that the app named.
    var name: String { layout.userId?.rawValue ?? layout.trackId?.rawValue ?? "" }
  }

  /// The users whose tracks of a kind it shows.
  func users(_ kind: TrackKind) -> Set<UserID> {
    Set(layouts.compactMap { (kind == .audio ? $0.audio : $0.video)?.user })
  }
}

/// A mix of a room's tracks.
struct Mix: Sendable {
  var plan: MixPlan
  /// Whether it runs; false until the programs have made it.
  var isMade = false
  /// Jobs that send it.
  var uses = 1
  /// The tracks that are in it now; nil before the first were set.
  var tracks: [MixTrackID]?
  /// Entries of the layouts with none of their tracks there now.
  var missing: [String] = []
  /// Set while it is published into the room.
  var published: Published?

  /// A mix as a participant of its room.
  struct Published: Sendable {
    var user: UserID
    var audioBitrate: Int
    /// For those who speak in the mix: a track without their own sound, in place of the mix's audio track.
    var own: [UserID: Own] = [:]
  }

  struct Own: Sendable {
    var track: PublishedTrack
    var session: SessionID
  }
}
