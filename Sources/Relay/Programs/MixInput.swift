import RoomCodecs
import RoomMixing
import RoomRTP

/// One track of a mix: its buffered media and the picture currently shown.
final class MixInput {
  /// The maximum number of buffered pictures: more than 400 ms at 30 frames per second.
  private static let mostPictures = 16
  /// How long the last picture of a track is shown when no other follows, in µs.
  static let stillFor: Int64 = 5_000_000

  let isVideo: Bool
  /// The participant, whose tracks are kept in sync.
  let group: ObjectIdentifier
  /// The audio of an audio track.
  let sound = AudioInput()
  private(set) var isOver = false
  private var pictures: [VideoFrame] = []
  private var isMuted = false
  private var lastArrival: Instant?
  private var isBlank = true

  init(isVideo: Bool, group: ObjectIdentifier) {
    self.isVideo = isVideo
    self.group = group
  }

  /// Accepts the decoder's output.
  func take(_ items: [DecodedInbox.Item], _ delay: inout PlayoutDelay) {
    for item in items {
      switch item {
      case .picture(let picture, let came):
        guard !isMuted else { continue }
        delay.recordArrival(picture.timestamp, at: came)
        lastArrival = came
        // The publisher restarted.
        if let last = pictures.last, picture.timestamp < last.timestamp { pictures = [] }
        if pictures.count >= Self.mostPictures { pictures.removeFirst() }
        pictures.append(picture)
      case .sound(let samples, let position, let came):
        delay.recordArrival(AudioInput.time(of: position), at: came)
        sound.write(samples, from: position)
      case .lateness(let lateness): delay.expect(lateness)
      case .muted(let isMuted):
        self.isMuted = isMuted
        if isMuted { pictures = [] }
      case .ended: isOver = true
      }
    }
  }

  /// Returns whether the media of this moment has arrived, or never will.
  func isReady(for time: MediaTime) -> Bool {
    if isMuted || isOver { return true }
    return isVideo ? pictures.first.map { $0.timestamp <= time } == true : sound.reachesBack(to: time)
  }

  /// Whether it has no picture to show yet, and one may follow.
  var isAwaited: Bool { isBlank && !isMuted && !isOver }

  /// A change to the picture shown.
  enum Change {
    case none
    case picture(VideoFrame)
    case blank
  }

  /// Returns the change to the picture shown from this moment on.
  func picture(at time: MediaTime, now: Instant) -> Change {
    var next: VideoFrame?
    while let first = pictures.first, first.timestamp <= time { next = pictures.removeFirst() }
    if let next {
      isBlank = false
      return .picture(next)
    }
    let isStale = pictures.isEmpty && lastArrival.map { now - $0 > Self.stillFor } == true
    guard !isBlank, isMuted || isStale else { return .none }
    isBlank = true
    return .blank
  }
}
