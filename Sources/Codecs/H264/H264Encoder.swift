#if OPENH264
  private typealias Library = OpenH264
#else
  private typealias Library = X264
#endif

/// H.264 with no latency: one thread, no B-frames, no look-ahead, one slice. By x264, or by OpenH264 where the package was built with
/// `ROOMSERVER_OPENH264` set.
///
/// Output is Annex B; key frames are IDR and carry SPS and PPS. The level is 3.1 wherever size and rate fit it (as the
/// `…1f` profiles of WebRTC announce), else the lowest that fits.
public final class H264Encoder: VideoEncoder {
  /// What the decoder must be able to do.
  public enum Profile: String, Sendable, Hashable, CaseIterable { case baseline, main, high }
  /// Trade of CPU against quality, by x264's names; ``superfast`` takes about 3 ms for 1280x720.
  public enum Speed: String, Sendable, Hashable, CaseIterable { case ultrafast, superfast, veryfast, faster, fast, medium }

  /// As last set.
  public private(set) var settings: VideoEncoderSettings
  /// Fixed for the encoder's life.
  public let profile: Profile
  /// Fixed for the encoder's life.
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

  /// Bitrate, fps and key-frame interval change within the stream; another size or level starts it anew with a key frame.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    let sameStream =
      settings.width == self.settings.width && settings.height == self.settings.height
      && Self.level(settings) == Self.level(self.settings)
    if sameStream {
      guard library.setRate(settings) else { throw .invalidSetting("the encoder refuses \(settings.bitrate) bit/s") }
    } else {
      library = try Library(settings, profile: profile, speed: speed, level: Self.level(settings))
      clock.restart()
    }
    self.settings = settings
  }

  /// One picture in, its access unit out.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    let (time, keyFrame) = clock.advance(
      to: frame.timestamp, interval: settings.keyFrameInterval, forced: forceKeyFrame)
    let source = try frame.scaled(width: settings.width, height: settings.height)
    let output = source.withPlanes { library.encode($0, time: time, isKeyFrame: keyFrame) }
    guard let output else { throw .encodingFailed(codec: "H.264", reason: "the encoder refuses the picture") }
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
