import RoomProtocol
import Relay
import SFU

/// A job of a room: which tracks it sends, and how far it has come. Belongs to its `Room`, which alone touches it.
final class RelayJob {
  /// What a job sends of one kind: the tracks of one user under one tag, whichever it publishes.
  struct Choice: Hashable {
    var user: String
    /// Nil for the main track.
    var tag: String?
  }

  let id: String
  let place: BroadcastDirectory.Place
  let audio: Choice?
  let video: Choice?
  var info: JobInfo
  /// What goes out now.
  var audioTrack: TrackID?
  var videoTrack: TrackID?
  var audioSource: TrackSource?
  var videoSource: TrackSource?

  init(id: String, place: BroadcastDirectory.Place, audio: Choice?, video: Choice?, info: JobInfo) {
    self.id = id
    self.place = place
    self.audio = audio
    self.video = video
    self.info = info
  }
}

extension JobFailure {
  init(_ failure: PushFailure) { self.init(cause: failure.name, message: failure.description) }
}
