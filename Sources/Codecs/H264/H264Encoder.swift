#if OPENH264
  private typealias Library = OpenH264
#else
  private typealias Library = X264
#endif

/// Encodes H.264 without delay: one thread, no B-frames, no look-ahead, one slice. The encoder uses x264, or OpenH264 if the
/// package was built with `ROOMSERVER_OPENH264` set. The choice is one of the build: a binary that links x264, even unused, is
/// subject to the GPL.
///
/// The output is Annex B. Key frames are IDR pictures with SPS and PPS. The level is 3.1 if size and rate allow it, as
/// announced by WebRTC's `…1f` profiles, otherwise the lowest that fits.
public final class H264Encoder: VideoEncoder {
  /// The profile, which decoders must support.
  public enum Profile: String, Sendable, Hashable, CaseIterable { case baseline, main, high }
  /// The trade-off of CPU against quality, with x264's names. ``superfast`` takes about 3 ms for 1280x720.
  public enum Speed: String, Sendable, Hashable, CaseIterable { case ultrafast, superfast, veryfast, faster, fast, medium }

  /// The current settings.
  public private(set) var settings: VideoEncoderSettings
  /// The profile; fixed for the encoder's lifetime.
  public let profile: Profile
  /// The speed; fixed for the encoder's lifetime.
  public let speed: Speed
  private var library: Library
  private var clock = EncodingClock()

  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unsupportedSize(width:height:)``
  public init(
    _ settings: VideoEncoderSettings, profile: Profile = .baseline, speed: Speed = .superfast
  ) throws(CodecError) {
    try settings.check()
    self.settings = settings
    self.profile = profile
    self.speed = speed
    library = try Library(settings, profile: profile, speed: speed, level: Self.level(settings))
  }

  /// Changes the settings. Bitrate, frame rate and key frame interval change within the stream; another size or level restarts
  /// it with a key frame.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    let sameStream =
      settings.width == self.settings.width && settings.height == self.settings.height
      && Self.level(settings) == Self.level(self.settings)
    if sameStream {
      guard library.setRate(settings) else { throw .invalidSetting("the encoder rejected \(settings.bitrate) bit/s") }
    } else {
      library = try Library(settings, profile: profile, speed: speed, level: Self.level(settings))
      clock.restart()
    }
    self.settings = settings
  }

  /// Encodes one picture to an access unit.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    let (time, keyFrame) = clock.advance(
      to: frame.timestamp, interval: settings.keyFrameInterval, forced: forceKeyFrame)
    let source = try frame.scaled(width: settings.width, height: settings.height)
    let output = source.withPlanes { library.encode($0, time: time, isKeyFrame: keyFrame) }
    guard let output else { throw .encodingFailed(codec: "H.264", reason: "the encoder rejected the picture") }
    guard !output.data.isEmpty else { return nil }
    clock.encoded(isKeyFrame: output.isKeyFrame)
    return EncodedPicture(data: output.data, timestamp: frame.timestamp, isKeyFrame: output.isKeyFrame)
  }

  /// ITU-T H.264 table A-1: macroblocks per frame and per second.
  private static func level(_ settings: VideoEncoderSettings) -> Int {
    let macroblocks = ((settings.width + 15) / 16) * ((settings.height + 15) / 16)
    let table: [(level: Int, frame: Int, second: Int)] = [
      (31, 3600, 108_000), (32, 5120, 216_000), (40, 8192, 245_760), (42, 8704, 522_240), (50, 22_080, 589_824),
      (51, 36_864, 983_040),
    ]
    return table.first { macroblocks <= $0.frame && macroblocks * settings.fps <= $0.second }?.level ?? 52
  }
}
