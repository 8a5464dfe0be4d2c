/// What a ``VideoSource`` gives up, in this order, when the path to the server carries less than its configured bitrate:
///
/// 1. The bitrate falls to ``minBitrate``, or to 40 % of the configured one.
/// 2. The frame rate falls in steps to 10 frames per second; each picture keeps its bits.
/// 3. The size falls to three quarters, then to half, if ``lowersSize`` allows it.
/// 4. The video pauses, and audio has the path alone. If ``minBitrate`` is nil, the bitrate falls to 30,000 before.
///
/// A step back up needs 1.3 times its bitrate for 3 s.
public struct VideoAdaptation: Sendable, Hashable {
  /// The lowest frame rate in frames per second while the video is not paused; a lower configured rate stays as it is.
  public static let minFPS = 10

  /// The bitrate in bits per second, clamped to 30,000…the configured one, below which frame rate and size fall, and the video
  /// pauses at last. If nil, they fall below 40 % of the configured bitrate, and the video pauses below 30,000.
  public var minBitrate: Int?
  /// Whether the frame rate may fall to ``minFPS``.
  public var lowersFrameRate: Bool
  /// Whether the size may fall to half. Each change of the size costs a key frame, and receivers get pictures of another size.
  public var lowersSize: Bool

  /// Creates an adaptation. See the properties for units and ranges.
  public init(minBitrate: Int? = nil, lowersFrameRate: Bool = true, lowersSize: Bool = false) {
    self.minBitrate = minBitrate
    self.lowersFrameRate = lowersFrameRate
    self.lowersSize = lowersSize
  }
}

/// What a ``VideoSource`` sends now: less than its configuration while the path carries less.
public struct VideoQuality: Sendable, Hashable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// The most frames per second.
  public var fps: Int
  /// Whether nothing is sent, because the path does not carry the video at its lowest quality.
  public var isPaused: Bool

  /// Creates a quality.
  public init(width: Int, height: Int, fps: Int, isPaused: Bool = false) {
    self.width = width
    self.height = height
    self.fps = fps
    self.isPaused = isPaused
  }
}
