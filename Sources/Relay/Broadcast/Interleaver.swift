import RTMP
import RTP

/// Puts audio and video, each in its own order already, into the order of their times, as containers want them.
///
/// Sound waits in its jitter buffer longer than pictures do; pictures wait here for it, up to a limit.
struct Interleaver {
  private struct Item {
    var message: MediaMessage
    var time: MediaTime
    var arrival: Instant
  }

  /// Microseconds that one kind waits for the other.
  let patience: Int64
  private var audio: [Item] = []
  private var video: [Item] = []

  /// - Parameter patience: microseconds.
  init(patience: Int64) { self.patience = patience }

  var isEmpty: Bool { audio.isEmpty && video.isEmpty }

  /// Puts a message behind those of its lane; metadata travels with what it tells of.
  mutating func insert(_ message: MediaMessage, among lane: MediaMessage.Kind, time: MediaTime, now: Instant) {
    let item = Item(message: message, time: time, arrival: now)
    if lane == .audio { audio.append(item) } else { video.append(item) }
  }

  /// The next in order; nil where it has to wait for the other kind.
  /// - Parameters:
  ///   - hasAudio: whether audio is to be waited for.
  ///   - hasVideo: whether video is to be waited for.
  mutating func next(now: Instant, hasAudio: Bool, hasVideo: Bool) -> MediaMessage? {
    switch (audio.first, video.first) {
    case (let sound?, let picture?):
      return sound.time < picture.time ? audio.removeFirst().message : video.removeFirst().message
    case (let sound?, nil):
      guard !hasVideo || now - sound.arrival >= patience else { return nil }
      return audio.removeFirst().message
    case (nil, let picture?):
      guard !hasAudio || now - picture.arrival >= patience else { return nil }
      return video.removeFirst().message
    case (nil, nil): return nil
    }
  }
}
