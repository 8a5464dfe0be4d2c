#if !OPENH264
  import RoomCX264

  /// x264 tuned for zero latency: one thread, no B-frames, no look-ahead, one slice.
  final class X264 {
    private var encoder: OpaquePointer

    init(
      _ settings: VideoEncoderSettings, profile: H264Encoder.Profile, speed: H264Encoder.Speed, level: Int
    ) throws(CodecError) {
      var parameters = x264_param_t()
      guard x264_param_default_preset(&parameters, speed.rawValue, "zerolatency") == 0 else {
        throw .unavailable(codec: "H.264", reason: "x264 has no preset \(speed.rawValue)")
      }
      parameters.i_log_level = X264_LOG_NONE
      parameters.i_threads = 1
      parameters.b_sliced_threads = 0
      parameters.i_csp = X264_CSP_I420
      parameters.i_width = Int32(settings.width)
      parameters.i_height = Int32(settings.height)
      parameters.i_level_idc = Int32(level)
      parameters.b_annexb = 1
      parameters.b_repeat_headers = 1
      // EncodingClock places key frames, so that the interval can change at any time.
      parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE
      parameters.i_scenecut_threshold = 0
      // Rate control by timestamps would delay each picture until the next one determines its duration.
      parameters.b_vfr_input = 0
      parameters.i_fps_num = UInt32(settings.fps)
      parameters.i_fps_den = 1
      // The colours of VideoFrame: limited range, with the primaries, transfer and matrix of BT.601 (H.264 Annex E, 6 each).
      // Without the description, players take a picture of 720 lines for BT.709.
      parameters.vui.b_fullrange = 0
      (parameters.vui.i_colorprim, parameters.vui.i_transfer, parameters.vui.i_colmatrix) = (6, 6, 6)
      parameters.rc.i_rc_method = X264_RC_ABR
      Self.setRate(&parameters, settings)
      guard x264_param_apply_profile(&parameters, profile.rawValue) == 0, let encoder = x264_open(&parameters) else {
        throw .unavailable(codec: "H.264", reason: "x264 rejected \(settings)")
      }
      self.encoder = encoder
    }

    deinit { x264_encoder_close(encoder) }

    /// Sets bitrate and frame rate. Returns false if x264 rejects them.
    func setRate(_ settings: VideoEncoderSettings) -> Bool {
      var parameters = x264_param_t()
      x264_encoder_parameters(encoder, &parameters)
      Self.setRate(&parameters, settings)
      return x264_encoder_reconfig(encoder, &parameters) == 0
    }

    /// Sets the rate control. A buffer of 0.6 s limits how long a burst takes to send and still has room for a key frame.
    ///
    /// x264 counts in frames of its initial rate, so another rate is expressed as another bitrate.
    private static func setRate(_ parameters: inout x264_param_t, _ settings: VideoEncoderSettings) {
      let kilobits = settings.bitrate / 1000 * Int(parameters.i_fps_num) / settings.fps
      parameters.rc.i_bitrate = Int32(clamping: kilobits)
      parameters.rc.i_vbv_max_bitrate = Int32(clamping: kilobits)
      parameters.rc.i_vbv_buffer_size = Int32(clamping: max(1, settings.bitrate / 1000 * 6 / 10))
    }

    /// - Parameter time: Increases from picture to picture.
    /// - Returns: The access unit; nil if the picture is rejected.
    func encode(_ planes: I420Planes, time: Int64, isKeyFrame: Bool) -> (data: [UInt8], isKeyFrame: Bool)? {
      var input = x264_picture_t()
      x264_picture_init(&input)
      input.i_pts = time
      input.i_type = isKeyFrame ? X264_TYPE_IDR : X264_TYPE_AUTO
      input.img.i_csp = X264_CSP_I420
      input.img.i_plane = 3
      // x264 only reads its input.
      input.img.plane.0 = UnsafeMutablePointer(mutating: planes.y)
      input.img.plane.1 = UnsafeMutablePointer(mutating: planes.u)
      input.img.plane.2 = UnsafeMutablePointer(mutating: planes.v)
      input.img.i_stride.0 = Int32(planes.yStride)
      input.img.i_stride.1 = Int32(planes.chromaStride)
      input.img.i_stride.2 = Int32(planes.chromaStride)
      var units: UnsafeMutablePointer<x264_nal_t>?
      var count: Int32 = 0
      var output = x264_picture_t()
      guard x264_encoder_encode(encoder, &units, &count, &input, &output) >= 0 else { return nil }
      var data: [UInt8] = []
      for unit in UnsafeBufferPointer(start: units, count: Int(count)) {
        // Before the first picture x264 describes itself in an SEI of 600 bytes, which no receiver uses.
        if unit.i_type == Int32(NAL_SEI.rawValue) { continue }
        data.append(contentsOf: UnsafeBufferPointer(start: unit.p_payload, count: Int(unit.i_payload)))
      }
      return (data, output.b_keyframe != 0)
    }
  }
#endif
