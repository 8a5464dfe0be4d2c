import RoomCVPX

/// An open encoder of libvpx: the calls that VP8 and VP9 share.
final class VPXContext {
  /// For the library's typed controls.
  let pointer: UnsafeMutablePointer<vpx_codec_ctx_t>
  private let codec: String

  /// - Parameter codec: The name for errors.
  init(_ interface: OpaquePointer?, _ configuration: vpx_codec_enc_cfg_t, codec: String) throws(CodecError) {
    self.codec = codec
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: vpx_codec_ctx_t())
    var configuration = configuration
    let result = vpx_enc_init(pointer, interface, &configuration, 0)
    guard result == VPX_CODEC_OK else {
      pointer.deallocate()
      throw .unavailable(codec: codec, reason: Self.message(result))
    }
  }

  deinit {
    vpx_codec_destroy(pointer)
    pointer.deallocate()
  }

  /// Returns the default configuration with what both codecs share: real time, one thread, constant bitrate.
  static func configuration(
    _ interface: OpaquePointer?, _ settings: VideoEncoderSettings, codec: String
  ) throws(CodecError) -> vpx_codec_enc_cfg_t {
    var configuration = vpx_codec_enc_cfg_t()
    guard vpx_codec_enc_config_default(interface, &configuration, 0) == VPX_CODEC_OK else {
      throw .unavailable(codec: codec, reason: "libvpx was built without this encoder")
    }
    configuration.g_w = UInt32(settings.width)
    configuration.g_h = UInt32(settings.height)
    configuration.g_timebase = vpx_rational_t(num: 1, den: 1_000_000)
    configuration.g_threads = 1
    configuration.g_lag_in_frames = 0
    configuration.rc_end_usage = VPX_CBR
    configuration.rc_target_bitrate = UInt32(settings.bitrate / 1000)
    configuration.rc_min_quantizer = 2
    configuration.rc_max_quantizer = 58
    configuration.rc_undershoot_pct = 100
    configuration.rc_overshoot_pct = 15
    configuration.rc_dropframe_thresh = 0
    // In ms: the same 0.6 s as the H.264 encoder's buffer.
    configuration.rc_buf_sz = 600
    configuration.rc_buf_initial_sz = 300
    configuration.rc_buf_optimal_sz = 360
    // EncodingClock places key frames, so that the interval can change at any time.
    configuration.kf_mode = VPX_KF_DISABLED
    return configuration
  }

  /// Changes the configuration within the stream.
  /// - Throws: ``CodecError/invalidSetting(_:)``
  func configure(_ configuration: vpx_codec_enc_cfg_t) throws(CodecError) {
    var configuration = configuration
    let result = vpx_codec_enc_config_set(pointer, &configuration)
    guard result == VPX_CODEC_OK else {
      throw .invalidSetting("libvpx rejected \(configuration.rc_target_bitrate) kbit/s: \(Self.message(result))")
    }
  }

  /// Encodes one picture. Returns nil if the encoder drops it.
  /// - Parameters:
  ///   - time: In µs; increases from picture to picture.
  ///   - duration: In µs.
  func encode(
    _ picture: VideoFrame, time: Int64, duration: Int, flags: vpx_enc_frame_flags_t
  ) throws(CodecError) -> (data: [UInt8], isKeyFrame: Bool)? {
    let result = picture.withPlanes { planes in
      var image = vpx_image_t()
      image.fmt = VPX_IMG_FMT_I420
      image.w = UInt32(planes.width)
      image.h = UInt32(planes.height)
      image.d_w = image.w
      image.d_h = image.h
      image.x_chroma_shift = 1
      image.y_chroma_shift = 1
      image.bps = 12
      // libvpx only reads its input.
      image.planes.0 = UnsafeMutablePointer(mutating: planes.y)
      image.planes.1 = UnsafeMutablePointer(mutating: planes.u)
      image.planes.2 = UnsafeMutablePointer(mutating: planes.v)
      image.stride.0 = Int32(planes.yStride)
      image.stride.1 = Int32(planes.chromaStride)
      image.stride.2 = Int32(planes.chromaStride)
      return vpx_codec_encode(pointer, &image, time, UInt(duration), flags, UInt(VPX_DL_REALTIME))
    }
    guard result == VPX_CODEC_OK else { throw .encodingFailed(codec: codec, reason: Self.message(result)) }
    var iterator: vpx_codec_iter_t?
    while let packet = vpx_codec_get_cx_data(pointer, &iterator) {
      guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
      let frame = packet.pointee.data.frame
      guard let bytes = frame.buf, frame.sz > 0 else { continue }
      let isKeyFrame = frame.flags & UInt32(VPX_FRAME_IS_KEY) != 0
      return ([UInt8](UnsafeRawBufferPointer(start: bytes, count: frame.sz)), isKeyFrame)
    }
    return nil
  }

  private static func message(_ result: vpx_codec_err_t) -> String { String(cString: vpx_codec_err_to_string(result)) }
}
