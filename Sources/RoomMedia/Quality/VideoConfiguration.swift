import Codecs
import RoomClient

/// How a video track is encoded. All but the codec can be changed while it is live.
public struct VideoConfiguration: Sendable, Hashable {
  /// Fixed for a track's life.
  public var codec: VideoCodec
  /// H.264 only. What the track tells its receivers is fixed when it is made; lowering it later is allowed.
  public var profile: H264Encoder.Profile
  /// H.264 only: the limits to stay within; nil takes the lowest level of the profile that fits.
  public var level: H264Level?
  /// H.264 only: CPU against quality.
  public var speed: H264Encoder.Speed
  /// Size in pixels, frames per second, bits per second, frames between key frames.
  public var settings: VideoEncoderSettings

  /// Checked where it is used; see ``check()``.
  public init(
    codec: VideoCodec = .h264, profile: H264Encoder.Profile = .baseline, level: H264Level? = nil,
    speed: H264Encoder.Speed = .superfast, _ settings: VideoEncoderSettings
  ) {
    self.codec = codec
    self.profile = profile
    self.level = level
    self.speed = speed
    self.settings = settings
  }

  /// A configuration for pictures of a given size: the size is reduced, with its aspect ratio, to 1280x720 pixels or fewer, and
  /// the bitrate chosen by it (0.1 bit per pixel).
  public init(fitting width: Int, _ height: Int, fps: Int, codec: VideoCodec = .h264) {
    let pixels = Double(max(1, width)) * Double(max(1, height))
    let factor = min(1, (1280 * 720 / pixels).squareRoot())
    func even(_ side: Int) -> Int { max(2, Int(Double(max(1, side)) * factor) & ~1) }
    let rate = min(max(fps, 1), 30)
    let settings = VideoEncoderSettings(width: even(width), height: even(height), fps: rate, bitrate: 0)
    self.init(codec: codec, settings)
    self.settings.bitrate = max(100_000, self.settings.width * self.settings.height * rate / 10)
  }

  /// Refuses what the profile's level does not allow.
  /// - Throws: ``VideoLimitError``
  public func check() throws(VideoLimitError) {
    if codec == .h264 { try H264Limits.check(self) }
  }

  /// What the track tells its receivers.
  var announcedProfile: H264Profile {
    switch profile {
    case .baseline: .constrainedBaseline
    case .main: .main
    case .high: .high
    }
  }

  func makeEncoder() throws(CodecError) -> any VideoEncoder {
    switch codec {
    case .h264: try H264Encoder(settings, profile: profile, speed: speed)
    case .vp8: try VP8Encoder(settings)
    }
  }
}
