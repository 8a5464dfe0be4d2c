import Codecs
import Mixing
import RTP

/// One track of a mix: what came of it and is not due yet, and what is shown of it now.
final class MixInput {
  /// Pictures that wait for their moment at most: 400 ms at 30 a second, and some.
  private static let mostPictures = 16
  /// Microseconds for which the last picture of a track stands, once nothing follows it.
  static let stillFor: Int64 = 5_000_000

  let isVideo: Bool
  /// Whose tracks are heard and seen together.
  let group: ObjectIdentifier
  /// Of a sound track.
  let sound = AudioInput()
  private(set) var isOver = false
  private var pictures: [VideoFrame] = []
  private var isMuted = false
  private var lastCame: Instant?
  private var isBlank = true

  init(isVideo: Bool, group: ObjectIdentifier) {
    self.isVideo = isVideo
    self.group = group
  }

  /// Takes what its decoder gave.
  func take(_ items: [DecodedInbox.Item], _ delay: inout PlayoutDelay) {
    for item in items {
      switch item {
      case .picture(let picture, let came):
        guard !isMuted else { continue }
        delay.came(picture.timestamp, at: came)
        lastCame = came
        // A publisher that began anew.
        if let last = pictures.last, picture.timestamp < last.timestamp { pictures = [] }
        if pictures.count >= Self.mostPictures { pictures.removeFirst() }
        pictures.append(picture)
      case .sound(let samples, let position, let came):
        delay.came(AudioInput.time(of: position), at: came)
        sound.write(samples, from: position)
      case .lateness(let lateness): delay.expect(lateness)
      case .muted(let isMuted):
        self.isMuted = isMuted
        if isMuted { pictures = [] }
      case .ended: isOver = true
      }
    }
  }

  /// Whether its picture or sound of this moment is there, or none will come.
  func isReady(for time: MediaTime) -> Bool {
    if isMuted || isOver { return true }
    return isVideo ? pictures.first.map { $0.timestamp <= time } == true : sound.reachesBack(to: time)
  }

  /// What happens to the picture that is shown.
  enum Change {
    case none
    case picture(VideoFrame)
    case blank
  }

  /// What is to be seen of it from this moment on.
  func picture(at time: MediaTime, now: Instant) -> Change {
    var next: VideoFrame?
    while let first = pictures.first, first.timestamp <= time { next = pictures.removeFirst() }
    if let next {
      isBlank = false
      return .picture(next)
    }
    let isStale = pictures.isEmpty && lastCame.map { now - $0 > Self.stillFor } == true
    guard !isBlank, isMuted || isStale else { return .none }
    isBlank = true
    return .blank
  }
}
