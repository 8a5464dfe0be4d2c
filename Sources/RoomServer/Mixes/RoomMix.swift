import Mixing
import Relay
import RoomProtocol
import SFU

/// A mix of a room's tracks, shared by all jobs that want exactly it. Belongs to its `Room`, which alone touches it.
final class RoomMix {
  /// What makes two mixes one.
  struct Key: Hashable {
    var picture: MixPicture?
    var layouts: [Item]
    var background: MergeBackground?
    var watermarks: [Watermark]
    var texts: [MergeText]
    /// Which images of these names.
    var images: [String: Int]
    /// The job whose mix goes into the room, which it does not share.
    var publishedBy: JobID?
  }

  /// One entry of the layouts, with what it takes of whom.
  struct Item: Codable, Hashable {
    var layout: TrackLayout
    var audio: RelayJob.Choice?
    var video: RelayJob.Choice?

    /// What the mix calls its tracks.
    static func input(_ kind: TrackKind, _ choice: RelayJob.Choice) -> String {
      "\(kind.rawValue)/\(choice.user)\(choice.tag.map { "/\($0)" } ?? "")"
    }

    /// How an app knows it.
    var name: String { layout.userId?.rawValue ?? layout.trackId?.rawValue ?? "" }
  }

  var key: Key
  let live: LiveMix
  /// Jobs that send it.
  var uses = 1
  /// Tracks that are in it now, by the mix' name for them; nil before it was told of any.
  var tracks: [String: MediaTrackID]?
  /// Entries of the layouts with none of their tracks there now.
  var missing: [String] = []

  init(_ key: Key, _ live: LiveMix) {
    self.key = key
    self.live = live
  }
}

/// A mix that is published into its room. Belongs to its `Room`, which alone touches it.
final class MixedParticipant {
  let job: JobID
  let mix: RoomMix
  let sink: MixedTrackSink
  let audioBitrate: Int
  /// For those who speak in the mix: the same without their own sound, in the place of the mix' track of sound.
  var own: [UserID: Own] = [:]

  /// What one speaker hears.
  struct Own {
    let track: PublishedTrack
    let sink: MixedTrackSink
    let participant: Participant
  }

  init(job: JobID, mix: RoomMix, sink: MixedTrackSink, audioBitrate: Int) {
    self.job = job
    self.mix = mix
    self.sink = sink
    self.audioBitrate = audioBitrate
  }
}
