public import RoomCodecs
public import RoomMixing

/// What a mix shows and plays, and how. A scene can change from one frame to the next.
public struct MixScene: Sendable {
  /// A clock drawn into the picture.
  public struct Clock: Sendable, Hashable {
    /// The left edge on the canvas in pixels.
    public var x: Int
    public var y: Int
    /// The font size in pixels, within ``TextRenderer/sizes``.
    public var size: Int
    public var colour: YUVColour
    /// The path of a font file; nil for the default font.
    public var font: String?
    /// The time in ms since 1970 to which the clock counts down; nil for the time of day.
    public var until: Int64?

    public init(x: Int, y: Int, size: Int, colour: YUVColour = .white, font: String? = nil, until: Int64? = nil) {
      self.x = x
      self.y = y
      self.size = size
      self.colour = colour
      self.font = font
      self.until = until
    }
  }

  /// The placements of the sources, which are identified by input name.
  public var placements: [Placement<String>]
  public var background: Background
  public var overlays: [Overlay]
  /// The time-of-day clocks, drawn above the overlays.
  public var clocks: [Clock]
  /// The pictures shown for sources that have none.
  public var placeholders: [String: VideoFrame]
  /// The gain of each input, 0…4; 1 if not listed.
  public var gains: [String: Float]

  /// Creates a scene. An empty scene shows the background and is silent.
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

/// The video settings of a mix.
public struct MixPicture: Sendable, Hashable {
  /// The width in pixels; even.
  public var width: Int
  /// The height in pixels; even.
  public var height: Int
  /// The frame rate in frames per second, 1…60.
  public var fps: Int
  /// The bitrate in bps.
  public var bitrate: Int
  /// The lowest bitrate on a congested uplink, in bps.
  public var leastBitrate: Int
  /// The maximum number of frames between key frames.
  public var keyFrameInterval: Int
  public var speed: H264Encoder.Speed
  public var profile: H264Encoder.Profile

  /// Creates video settings.
  /// - Parameters:
  ///   - leastBitrate: The lowest bitrate in bps; nil for a third of `bitrate`.
  ///   - keyFrameInterval: The maximum number of frames between key frames; nil for 3 x fps.
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

  /// Returns the default bitrate in bps for a size and frame rate: 1.5 Mbps for 720x1280 at 24 frames per second.
  public static func defaultBitrate(width: Int, height: Int, fps: Int) -> Int { max(100_000, width * height * fps * 7 / 100) }

  /// The shorter side of the smallest picture that is worth a stream of its own, in pixels.
  private static let shortestSide = 90

  /// The same picture at half its width and height with a quarter of the bitrate; nil if it would be too small to be useful.
  public var smaller: MixPicture? {
    guard min(width, height) / 2 >= Self.shortestSide else { return nil }
    var smaller = self
    (smaller.width, smaller.height) = (width / 4 * 2, height / 4 * 2)
    (smaller.bitrate, smaller.leastBitrate) = (Self.smallerBitrate(of: bitrate), Self.smallerBitrate(of: leastBitrate))
    return smaller
  }

  static func smallerBitrate(of bitrate: Int) -> Int { max(bitrate / 4, 50_000) }
}
