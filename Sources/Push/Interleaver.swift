public import RoomRTMP
public import RoomRTP

/// Merges audio and video, each already in order, by timestamp, as containers require.
///
/// Audio waits in its jitter buffer longer than video does. Video waits here for it, up to a limit.
public struct Interleaver: Sendable {
  private struct Item: Sendable {
    var message: MediaMessage
    var time: MediaTime
    var arrival: Instant
  }

  /// How long one kind waits for the other, in µs.
  public let patience: Int64
  private var audio: [Item] = []
  private var video: [Item] = []

  /// - Parameter patience: How long one kind waits for the other, in µs.
  public init(patience: Int64) { self.patience = patience }

  /// Whether no message waits.
  public var isEmpty: Bool { audio.isEmpty && video.isEmpty }

  /// Appends a message to its lane. Metadata uses the lane of the media it describes.
  public mutating func insert(_ message: MediaMessage, among lane: MediaMessage.Kind, time: MediaTime, now: Instant) {
    let item = Item(message: message, time: time, arrival: now)
    if lane == .audio { audio.append(item) } else { video.append(item) }
  }

  /// Returns the next message in order, or nil if it has to wait for the other kind.
  /// - Parameters:
  ///   - hasAudio: Whether to wait for audio.
  ///   - hasVideo: Whether to wait for video.
  public mutating func next(now: Instant, hasAudio: Bool, hasVideo: Bool) -> MediaMessage? {
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
