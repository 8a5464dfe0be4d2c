import RoomCAOM

/// Encodes AV1 (main profile, one layer) with libaom in real-time mode: one thread, constant bitrate. The output is a temporal
/// unit in low-overhead OBU format.
///
/// libaom is called without libavcodec, whose encoder cannot change the bitrate within a stream.
public final class AV1Encoder: VideoEncoder {
  /// The current settings.
  public private(set) var settings: VideoEncoderSettings
  private var codec: AOMContext
  private var clock = EncodingClock()
  /// The time of the last picture, of the source and for libaom.
  private var last: (source: Int64, encoder: Int64)?

  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unsupportedSize(width:height:)``
  public init(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    self.settings = settings
    codec = try Self.open(settings)
  }

  /// Changes the settings. Everything except the size changes within the stream.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    if settings.width == self.settings.width, settings.height == self.settings.height {
      try codec.configure(Self.configuration(settings))
    } else {
      codec = try Self.open(settings)
      clock.restart()
    }
    self.settings = settings
  }

  /// Encodes one picture.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    let (time, keyFrame) = clock.advance(
      to: frame.timestamp, interval: settings.keyFrameInterval, forced: forceKeyFrame)
    let source = try frame.scaled(width: settings.width, height: settings.height)
    let flags = keyFrame ? aom_enc_frame_flags_t(AOM_EFLAG_FORCE_KF) : 0
    guard let output = try codec.encode(source, time: steady(time), duration: 1_000_000 / settings.fps, flags: flags) else {
      return nil
    }
    clock.encoded(isKeyFrame: output.isKeyFrame)
    return EncodedPicture(data: output.data, timestamp: frame.timestamp, isKeyFrame: output.isKeyFrame)
  }

  /// Returns a time that increases by at most a second, beyond which libaom's rate control fails.
  private func steady(_ time: Int64) -> Int64 {
    let next = last.map { $0.encoder + min(time - $0.source, 1_000_000) } ?? 0
    last = (time, next)
    return next
  }

  private static func configuration(_ settings: VideoEncoderSettings) throws(CodecError) -> aom_codec_enc_cfg_t {
    var configuration = aom_codec_enc_cfg_t()
    guard aom_codec_enc_config_default(aom_codec_av1_cx(), &configuration, UInt32(AOM_USAGE_REALTIME)) == AOM_CODEC_OK else {
      throw .unavailable(codec: "AV1", reason: "libaom was built without a real-time encoder")
    }
    configuration.g_w = UInt32(settings.width)
    configuration.g_h = UInt32(settings.height)
    configuration.g_timebase = aom_rational(num: 1, den: 1_000_000)
    configuration.g_threads = 1
    configuration.g_lag_in_frames = 0
    configuration.g_pass = AOM_RC_ONE_PASS
    // Receivers stop at a gap until a key frame, so frames need not be decodable without the ones before.
    configuration.g_error_resilient = 0
    configuration.rc_end_usage = AOM_CBR
    configuration.rc_target_bitrate = UInt32(settings.bitrate / 1000)
    configuration.rc_min_quantizer = 10
    configuration.rc_max_quantizer = 56
    configuration.rc_undershoot_pct = 50
    configuration.rc_overshoot_pct = 50
    configuration.rc_dropframe_thresh = 0
    // In ms: the same 0.6 s as the H.264 encoder's buffer.
    configuration.rc_buf_sz = 600
    configuration.rc_buf_initial_sz = 300
    configuration.rc_buf_optimal_sz = 360
    // EncodingClock places key frames, so that the interval can change at any time.
    configuration.kf_mode = AOM_KF_DISABLED
    return configuration
  }

  private static func open(_ settings: VideoEncoderSettings) throws(CodecError) -> AOMContext {
    let codec = try AOMContext(configuration(settings))
    codec.set(AOME_SET_CPUUSED, 10)
    codec.set(AOME_SET_MAX_INTRA_BITRATE_PCT, 300)
    // Cyclic refresh: renews the picture in parts, without a burst.
    codec.set(AV1E_SET_AQ_MODE, 3)
    codec.set(AV1E_SET_COEFF_COST_UPD_FREQ, 3)
    codec.set(AV1E_SET_MODE_COST_UPD_FREQ, 3)
    codec.set(AV1E_SET_MV_COST_UPD_FREQ, 3)
    codec.set(AV1E_SET_ENABLE_CDEF, 1)
    codec.set(AV1E_SET_INTRA_DEFAULT_TX_ONLY, 1)
    // Tools whose search costs more than a real-time encoder gains.
    let tools = [
      AV1E_SET_DELTAQ_MODE, AV1E_SET_ENABLE_TPL_MODEL, AV1E_SET_ENABLE_ORDER_HINT, AV1E_SET_ENABLE_OBMC,
      AV1E_SET_ENABLE_WARPED_MOTION, AV1E_SET_ENABLE_GLOBAL_MOTION, AV1E_SET_ENABLE_REF_FRAME_MVS,
      AV1E_SET_ENABLE_CFL_INTRA, AV1E_SET_ENABLE_SMOOTH_INTRA, AV1E_SET_ENABLE_ANGLE_DELTA, AV1E_SET_ENABLE_FILTER_INTRA,
      AV1E_SET_ENABLE_DIST_WTD_COMP, AV1E_SET_ENABLE_DIFF_WTD_COMP, AV1E_SET_ENABLE_DUAL_FILTER,
      AV1E_SET_ENABLE_INTERINTRA_COMP, AV1E_SET_ENABLE_INTERINTRA_WEDGE, AV1E_SET_ENABLE_INTRA_EDGE_FILTER,
      AV1E_SET_ENABLE_INTRABC, AV1E_SET_ENABLE_MASKED_COMP, AV1E_SET_ENABLE_PAETH_INTRA, AV1E_SET_ENABLE_QM,
      AV1E_SET_ENABLE_RECT_PARTITIONS, AV1E_SET_ENABLE_RESTORATION, AV1E_SET_ENABLE_SMOOTH_INTERINTRA,
      AV1E_SET_ENABLE_TX64, AV1E_SET_ENABLE_PALETTE,
    ]
    for tool in tools { codec.set(tool, 0) }
    codec.set(AV1E_SET_MAX_REFERENCE_FRAMES, 3)
    return codec
  }
}
