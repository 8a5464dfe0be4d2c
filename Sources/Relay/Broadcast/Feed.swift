import Codecs
import RTP

/// What a broadcast knows of a program that feeds it.
struct Feed {
  let id: ProgramID
  let hasAudio: Bool
  let hasVideo: Bool
  /// Bits a second of its sound; nil for the broadcast's own.
  let audioBitrate: Int?
  /// Whether it makes nothing more.
  var isOver = false
  /// The media time of the newest picture that came of it, whether sent or not.
  private(set) var progress: MediaTime?
  private var isOpen = false

  init(id: ProgramID, hasAudio: Bool, hasVideo: Bool, audioBitrate: Int?) {
    self.audioBitrate = audioBitrate
    self.id = id
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
  }

  /// Whether the picture can be shown: from the first key frame on.
  mutating func opens(at picture: EncodedPicture) -> Bool {
    if picture.isKeyFrame { isOpen = true }
    return isOpen
  }

  mutating func reached(_ time: MediaTime) { progress = max(progress ?? time, time) }

  /// Its pictures have begun.
  mutating func keepOpen() { isOpen = true }

  /// Pictures were left out: the next key frame is waited for.
  mutating func close() { isOpen = false }
}
