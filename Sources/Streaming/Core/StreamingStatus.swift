/// What a session sends, reported in intervals.
public struct StreamingStatus: Sendable, Hashable {
  /// The state of the push.
  public var state: StreamingState
  /// The video frames sent per second since the last report.
  public var videoFPS: Double
  /// The video bitrate in kbit/s since the last report.
  public var videoKilobits: Int
  /// The audio packets sent per second since the last report: 43 for AAC at 44,100 Hz, 50 for Opus.
  public var audioFPS: Double
  /// The audio bitrate in kbit/s since the last report.
  public var audioKilobits: Int
  /// The media that waits for the network, in milliseconds.
  public var queued: Int
  /// The video frames dropped since the start because the network was too slow.
  public var droppedFrames: UInt64
  /// The bitrate in bits per second at which the video is encoded.
  public var targetBitrate: Int
  /// The most frames per second at which the video is encoded.
  public var targetFPS: Int
  /// The number of connections since the start: 1, and one more for each reconnect.
  public var connections: Int

  /// Creates a status. See the properties for units.
  public init(
    state: StreamingState, videoFPS: Double = 0, videoKilobits: Int = 0, audioFPS: Double = 0, audioKilobits: Int = 0,
    queued: Int = 0, droppedFrames: UInt64 = 0, targetBitrate: Int = 0, targetFPS: Int = 0, connections: Int = 0
  ) {
    self.state = state
    self.videoFPS = videoFPS
    self.videoKilobits = videoKilobits
    self.audioFPS = audioFPS
    self.audioKilobits = audioKilobits
    self.queued = queued
    self.droppedFrames = droppedFrames
    self.targetBitrate = targetBitrate
    self.targetFPS = targetFPS
    self.connections = connections
  }
}

/// What one connection has sent since it was opened.
struct StreamingProgress: Sendable, Hashable {
  var pictures: UInt64 = 0
  var pictureBytes: UInt64 = 0
  var sounds: UInt64 = 0
  var soundBytes: UInt64 = 0
  /// Video frames that were dropped because the network was too slow.
  var dropped: UInt64 = 0
  /// Media that waits for the network, in ms.
  var queued = 0
  /// What the video is encoded at, if the output decides about it itself.
  var rate: EncodingRate?

  /// The sum of the counters, with the queue and the rate of `other`.
  static func + (one: Self, other: Self) -> Self {
    StreamingProgress(
      pictures: one.pictures + other.pictures, pictureBytes: one.pictureBytes + other.pictureBytes,
      sounds: one.sounds + other.sounds, soundBytes: one.soundBytes + other.soundBytes, dropped: one.dropped + other.dropped,
      queued: other.queued, rate: other.rate)
  }
}
