public import Codecs
public import Mixing

/// What a mix shows and plays, and how; it can be changed from one frame to the next.
public struct MixScene: Sendable {
  /// A clock in the picture.
  public struct Clock: Sendable, Hashable {
    /// Pixels of the canvas, of its top left corner.
    public var x: Int
    public var y: Int
    /// Pixels, one of ``TextRenderer/sizes``.
    public var size: Int
    public var colour: YUVColour
    /// A font file; nil for the standard one.
    public var font: String?

    public init(x: Int, y: Int, size: Int, colour: YUVColour = .white, font: String? = nil) {
      self.x = x
      self.y = y
      self.size = size
      self.colour = colour
      self.font = font
    }
  }

  /// Where pictures are shown; a source is named by its input.
  public var placements: [Placement<String>]
  public var background: Background
  public var overlays: [Overlay]
  /// The time of day, over the overlays.
  public var clocks: [Clock]
  /// What is shown of a source while it has no picture.
  public var placeholders: [String: VideoFrame]
  /// How loud an input is, 0…4; 1 where it is not named.
  public var gains: [String: Float]

  /// An empty scene shows the background and is silent.
  public init(
    placements: [Placement<String>] = [], background: Background = .colour(.black), overlays: [Overlay] = [],
    clocks: [Clock] = [], placeholders: [String: VideoFrame] = [:], gains: [String: Float] = [:]
  ) {
    self.clocks = clocks
    self.placeholders = placeholders
    self.placements = placements
    self.background = background
    self.overlays = overlays
    self.gains = gains
  }
}

/// What a mix encodes.
public struct MixPicture: Sendable, Hashable {
  /// Pixels, even.
  public var width: Int
  /// Pixels, even.
  public var height: Int
  /// Frames a second, 1…60.
  public var fps: Int
  /// Bits a second.
  public var bitrate: Int
  /// Bits a second that a weak uplink may push it down to.
  public var leastBitrate: Int
  /// Frames from one key frame to the next at most.
  public var keyFrameInterval: Int
  public var speed: H264Encoder.Speed
  public var profile: H264Encoder.Profile

  /// - Parameters:
  ///   - leastBitrate: a third of the bitrate if nil.
  ///   - keyFrameInterval: 3 x fps if nil.
  public init(
    width: Int, height: Int, fps: Int, bitrate: Int, leastBitrate: Int? = nil, keyFrameInterval: Int? = nil,
    speed: H264Encoder.Speed = .superfast, profile: H264Encoder.Profile = .main
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
    self.leastBitrate = leastBitrate ?? bitrate / 3
    self.keyFrameInterval = keyFrameInterval ?? 3 * fps
    self.speed = speed
    self.profile = profile
  }

  /// Bits a second that look well in pictures of this size and rate: 1.5 Mbit/s for 720x1280 at 24 frames a second.
  public static func usualBitrate(width: Int, height: Int, fps: Int) -> Int { max(100_000, width * height * fps * 7 / 100) }
}
