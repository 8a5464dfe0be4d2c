import RoomCVPX

/// Encodes VP9 (profile 0, one layer) with libvpx in real-time mode: one thread, constant bitrate.
public final class VP9Encoder: VideoEncoder {
  /// The current settings.
  public private(set) var settings: VideoEncoderSettings
  private var codec: VPXContext
  private var clock = EncodingClock()

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
    let flags = keyFrame ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : 0
    guard let output = try codec.encode(source, time: time, duration: 1_000_000 / settings.fps, flags: flags) else {
      return nil
    }
    clock.encoded(isKeyFrame: output.isKeyFrame)
    return EncodedPicture(data: output.data, timestamp: frame.timestamp, isKeyFrame: output.isKeyFrame)
  }

  private static func configuration(_ settings: VideoEncoderSettings) throws(CodecError) -> vpx_codec_enc_cfg_t {
    var configuration = try VPXContext.configuration(vpx_codec_vp9_cx(), settings, codec: "VP9")
    configuration.g_profile = 0
    // Receivers stop at a gap until a key frame, so frames need not be decodable without the ones before.
    configuration.g_error_resilient = 0
    return configuration
  }

  private static func open(_ settings: VideoEncoderSettings) throws(CodecError) -> VPXContext {
    let codec = try VPXContext(vpx_codec_vp9_cx(), configuration(settings), codec: "VP9")
    let pointer = codec.pointer
    // 8 is the fastest for pictures of cameras above 352x288, as in libwebrtc; 9 changes only smaller ones.
    _ = vpx_codec_control_VP8E_SET_CPUUSED(pointer, Int32(VP8E_SET_CPUUSED.rawValue), 8)
    _ = vpx_codec_control_VP8E_SET_STATIC_THRESHOLD(pointer, Int32(VP8E_SET_STATIC_THRESHOLD.rawValue), 1)
    _ = vpx_codec_control_VP8E_SET_MAX_INTRA_BITRATE_PCT(pointer, Int32(VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue), 300)
    // Cyclic refresh: renews the picture in parts, without a burst.
    _ = vpx_codec_control_VP9E_SET_AQ_MODE(pointer, Int32(VP9E_SET_AQ_MODE.rawValue), 3)
    _ = vpx_codec_control_VP9E_SET_ROW_MT(pointer, Int32(VP9E_SET_ROW_MT.rawValue), 1)
    _ = vpx_codec_control_VP9E_SET_FRAME_PARALLEL_DECODING(pointer, Int32(VP9E_SET_FRAME_PARALLEL_DECODING.rawValue), 0)
    // The colours of VideoFrame: BT.601, limited range.
    _ = vpx_codec_control_VP9E_SET_COLOR_SPACE(pointer, Int32(VP9E_SET_COLOR_SPACE.rawValue), Int32(VPX_CS_BT_601.rawValue))
    _ = vpx_codec_control_VP9E_SET_COLOR_RANGE(
      pointer, Int32(VP9E_SET_COLOR_RANGE.rawValue), Int32(VPX_CR_STUDIO_RANGE.rawValue))
    return codec
  }
}
