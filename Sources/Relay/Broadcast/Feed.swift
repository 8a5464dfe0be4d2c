import RoomCodecs
import RoomRTP

/// The state that a broadcast keeps of a program.
struct Feed {
  let id: ProgramID
  let hasAudio: Bool
  let hasVideo: Bool
  /// The program's audio bitrate in bps; nil for the broadcast's default.
  let audioBitrate: Int?
  /// Whether the program has finished.
  var isOver = false
  /// The media time of the program's newest picture, sent or not.
  private(set) var progress: MediaTime?
  private var isOpen = false

  init(id: ProgramID, hasAudio: Bool, hasVideo: Bool, audioBitrate: Int?) {
    self.audioBitrate = audioBitrate
    self.id = id
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
  }

  /// Returns whether the picture can be shown. Pictures are shown from the first key frame on.
  mutating func opens(at picture: EncodedPicture) -> Bool {
    if picture.isKeyFrame { isOpen = true }
    return isOpen
  }

  mutating func reached(_ time: MediaTime) { progress = max(progress ?? time, time) }

  /// Marks the program's pictures as started.
  mutating func keepOpen() { isOpen = true }

  /// Waits for the next key frame after pictures were dropped.
  mutating func close() { isOpen = false }
}
