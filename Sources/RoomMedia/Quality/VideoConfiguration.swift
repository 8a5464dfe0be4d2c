import RoomCodecs
import RoomClient

/// The encoder's configuration for a video track. Everything except the codec can change while the track is live.
public struct VideoConfiguration: Sendable, Hashable {
  /// The codec, which is fixed for the track's lifetime. VP9 costs twice the CPU time of H.264, AV1 nearly three times: 1280x720 at 30
  /// frames per second takes most of a core.
  public var codec: VideoCodec
  /// The profile, for H.264 only. The announced profile is fixed when the track is created; a lower one can be set later.
  public var profile: H264Encoder.Profile
  /// The level whose limits apply, for H.264 only; nil uses the lowest level of the profile that fits.
  public var level: H264Level?
  /// The trade-off between CPU use and quality, for H.264 only.
  public var speed: H264Encoder.Speed
  /// Whether a device encodes, for H.264 only. ``VideoSource/Statistics/encoder`` has the result.
  public var hardware: HardwareEncoding
  /// The size in pixels, frames per second, bits per second, and frames between key frames.
  public var settings: VideoEncoderSettings

  /// Creates a configuration. The configuration is validated when it is used; see ``check()``.
  public init(
    codec: VideoCodec = .h264, profile: H264Encoder.Profile = .baseline, level: H264Level? = nil,
    speed: H264Encoder.Speed = .superfast, hardware: HardwareEncoding = .never, _ settings: VideoEncoderSettings
  ) {
    self.codec = codec
    self.profile = profile
    self.level = level
    self.speed = speed
    self.hardware = hardware
    self.settings = settings
  }

  /// Creates a configuration for pictures of a given size.
  ///
  /// The size is reduced, with its aspect ratio, to at most as many pixels as 1280x720. The bitrate is 0.1 bit per pixel, at
  /// least 100 kbit/s.
  /// - Parameters:
  ///   - width: the width of the pictures in pixels.
  ///   - height: the height of the pictures in pixels.
  ///   - fps: frames per second, clamped to 1…30.
  ///   - codec: the codec.
  public init(fitting width: Int, _ height: Int, fps: Int, codec: VideoCodec = .h264) {
    let pixels = Double(max(1, width)) * Double(max(1, height))
    let factor = min(1, (1280 * 720 / pixels).squareRoot())
    func even(_ side: Int) -> Int { max(2, Int(Double(max(1, side)) * factor) & ~1) }
    let rate = min(max(fps, 1), 30)
    let settings = VideoEncoderSettings(width: even(width), height: even(height), fps: rate, bitrate: 0)
    self.init(codec: codec, settings)
    self.settings.bitrate = max(100_000, self.settings.width * self.settings.height * rate / 10)
  }

  /// Validates the configuration against the limits of the profile's level.
  /// - Throws: ``VideoLimitError``.
  public func check() throws(VideoLimitError) {
    if codec == .h264 { try H264Limits.check(self) }
  }

  /// The profile that the track announces.
  var announcedProfile: H264Profile {
    switch profile {
    case .baseline: .constrainedBaseline
    case .main: .main
    case .high: .high
    }
  }

  package func makeEncoder() throws(CodecError) -> any VideoEncoder {
    switch codec {
    case .h264: try makeH264Encoder()
    case .vp8: try VP8Encoder(settings)
    case .vp9: try VP9Encoder(settings)
    case .av1: try AV1Encoder(settings)
    }
  }

  private func makeH264Encoder() throws(CodecError) -> any VideoEncoder {
    let (profile, speed) = (profile, speed)
    switch hardware {
    case .never: return try H264Encoder(settings, profile: profile, speed: speed)
    case .required(let device): return try VAAPIEncoder(settings, profile: profile, device: Self.usable(device))
    case .ifAvailable:
      return try FallbackEncoder(settings) { settings throws(CodecError) in
        try VAAPIEncoder(settings, profile: profile, device: Self.usable(nil))
      } software: { settings throws(CodecError) in
        try H264Encoder(settings, profile: profile, speed: speed)
      }
    }
  }

  /// Returns the device, or the first usable one if it is nil.
  private static func usable(_ device: String?) throws(CodecError) -> String {
    if let device { return device }
    let probe = VAAPIProbe()
    if let device = probe.first { return device }
    throw .unavailable(codec: "H.264 by VAAPI", reason: probe.reason ?? "no device is usable")
  }
}
