import CX264

/// H.264 by x264, tuned for zero latency: one thread, no B-frames, no look-ahead, one slice.
///
/// Output is Annex B; key frames are IDR and carry SPS and PPS. The level is 3.1 wherever size and rate fit it (as the
/// `…1f` profiles of WebRTC announce), else the lowest that fits.
public final class H264Encoder: VideoEncoder {
  /// What the decoder must be able to do.
  public enum Profile: String, Sendable, Hashable, CaseIterable { case baseline, main, high }
  /// x264's trade of CPU against quality; ``superfast`` takes about 3 ms for 1280x720.
  public enum Speed: String, Sendable, Hashable, CaseIterable { case ultrafast, superfast, veryfast, faster, fast, medium }

  /// As last set.
  public private(set) var settings: VideoEncoderSettings
  /// Fixed for the encoder's life.
  public let profile: Profile
  /// Fixed for the encoder's life.
  public let speed: Speed
  private var encoder: OpaquePointer
  private var clock = EncodingClock()

  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unsupportedSize(width:height:)``
  public init(
    _ settings: VideoEncoderSettings, profile: Profile = .baseline, speed: Speed = .superfast
  ) throws(CodecError) {
    try settings.check()
    self.settings = settings
    self.profile = profile
    self.speed = speed
    encoder = try Self.open(settings, profile: profile, speed: speed)
  }

  deinit { x264_encoder_close(encoder) }

  /// Bitrate, fps and key-frame interval change within the stream; another size or level starts it anew with a key frame.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    let sameStream =
      settings.width == self.settings.width && settings.height == self.settings.height
      && Self.level(settings) == Self.level(self.settings)
    if sameStream {
      var parameters = x264_param_t()
      x264_encoder_parameters(encoder, &parameters)
      Self.setRate(&parameters, settings)
      guard x264_encoder_reconfig(encoder, &parameters) == 0 else {
        throw .invalidSetting("x264 refuses \(settings.bitrate) bit/s")
      }
    } else {
      let next = try Self.open(settings, profile: profile, speed: speed)
      x264_encoder_close(encoder)
      encoder = next
      clock.restart()
    }
    self.settings = settings
  }

  /// One picture in, its access unit out.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    let (time, keyFrame) = clock.advance(
      to: frame.timestamp, interval: settings.keyFrameInterval, forced: forceKeyFrame)
    let source = try frame.scaled(width: settings.width, height: settings.height)
    let output = source.withPlanes { planes in
      var input = x264_picture_t()
      x264_picture_init(&input)
      input.i_pts = time
      input.i_type = keyFrame ? X264_TYPE_IDR : X264_TYPE_AUTO
      input.img.i_csp = X264_CSP_I420
      input.img.i_plane = 3
      // x264 reads its input only.
      input.img.plane.0 = UnsafeMutablePointer(mutating: planes.y)
      input.img.plane.1 = UnsafeMutablePointer(mutating: planes.u)
      input.img.plane.2 = UnsafeMutablePointer(mutating: planes.v)
      input.img.i_stride.0 = Int32(planes.yStride)
      input.img.i_stride.1 = Int32(planes.chromaStride)
      input.img.i_stride.2 = Int32(planes.chromaStride)
      return compress(&input)
    }
    guard let output else { throw .encodingFailed(codec: "H.264", reason: "x264_encoder_encode failed") }
    guard !output.data.isEmpty else { return nil }
    clock.encoded(isKeyFrame: output.isKeyFrame)
    return EncodedPicture(data: output.data, timestamp: frame.timestamp, isKeyFrame: output.isKeyFrame)
  }

  private func compress(_ input: inout x264_picture_t) -> (data: [UInt8], isKeyFrame: Bool)? {
    var units: UnsafeMutablePointer<x264_nal_t>?
    var count: Int32 = 0
    var output = x264_picture_t()
    guard x264_encoder_encode(encoder, &units, &count, &input, &output) >= 0 else { return nil }
    var data: [UInt8] = []
    for unit in UnsafeBufferPointer(start: units, count: Int(count)) {
      // x264 describes itself in an SEI of 600 bytes before the first picture: nobody reads it.
      if unit.i_type == Int32(NAL_SEI.rawValue) { continue }
      data.append(contentsOf: UnsafeBufferPointer(start: unit.p_payload, count: Int(unit.i_payload)))
    }
    return (data, output.b_keyframe != 0)
  }

  private static func open(
    _ settings: VideoEncoderSettings, profile: Profile, speed: Speed
  ) throws(CodecError) -> OpaquePointer {
    var parameters = x264_param_t()
    guard x264_param_default_preset(&parameters, speed.rawValue, "zerolatency") == 0 else {
      throw .unavailable(codec: "H.264", reason: "x264 knows no preset \(speed.rawValue)")
    }
    parameters.i_log_level = X264_LOG_NONE
    parameters.i_threads = 1
    parameters.b_sliced_threads = 0
    parameters.i_csp = X264_CSP_I420
    parameters.i_width = Int32(settings.width)
    parameters.i_height = Int32(settings.height)
    parameters.i_level_idc = level(settings)
    parameters.b_annexb = 1
    parameters.b_repeat_headers = 1
    // Key frames are placed by EncodingClock, so that the interval can change live.
    parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE
    parameters.i_scenecut_threshold = 0
    // Rate control by timestamps would hold each picture back until the next one tells its duration.
    parameters.b_vfr_input = 0
    parameters.i_fps_num = UInt32(settings.fps)
    parameters.i_fps_den = 1
    parameters.rc.i_rc_method = X264_RC_ABR
    setRate(&parameters, settings)
    guard x264_param_apply_profile(&parameters, profile.rawValue) == 0, let encoder = x264_open(&parameters) else {
      throw .unavailable(codec: "H.264", reason: "x264 refuses \(settings)")
    }
    return encoder
  }

  /// A buffer of 0.6 s bounds how long a burst takes to send, and still leaves room for a key frame.
  ///
  /// x264 counts in frames of the rate it was opened with; another rate is given to it as another bitrate.
  private static func setRate(_ parameters: inout x264_param_t, _ settings: VideoEncoderSettings) {
    let kilobits = settings.bitrate / 1000 * Int(parameters.i_fps_num) / settings.fps
    parameters.rc.i_bitrate = Int32(clamping: kilobits)
    parameters.rc.i_vbv_max_bitrate = Int32(clamping: kilobits)
    parameters.rc.i_vbv_buffer_size = Int32(clamping: max(1, settings.bitrate / 1000 * 6 / 10))
  }

  /// ITU-T H.264 table A-1: macroblocks per frame and per second.
  private static func level(_ settings: VideoEncoderSettings) -> Int32 {
    let macroblocks = ((settings.width + 15) / 16) * ((settings.height + 15) / 16)
    let table: [(level: Int32, frame: Int, second: Int)] = [
      (31, 3600, 108_000), (32, 5120, 216_000), (40, 8192, 245_760), (42, 8704, 522_240), (50, 22_080, 589_824),
      (51, 36_864, 983_040),
    ]
    return table.first { macroblocks <= $0.frame && macroblocks * settings.fps <= $0.second }?.level ?? 52
  }
}
