public import Codecs
public import Mixing

/// What a mix shows and plays, and how; it can be changed from one frame to the next.
public struct MixScene: Sendable {
  /// Where pictures are shown; a source is named by its input.
  public var placements: [Placement<String>]
  public var background: Background
  public var overlays: [Overlay]
  /// How loud an input is, 0…4; 1 where it is not named.
  public var gains: [String: Float]

  /// An empty scene shows the background and is silent.
  public init(
    placements: [Placement<String>] = [], background: Background = .colour(.black), overlays: [Overlay] = [],
    gains: [String: Float] = [:]
  ) {
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
}
