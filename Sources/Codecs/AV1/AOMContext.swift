import RoomCAOM

/// An open AV1 encoder of libaom.
final class AOMContext {
  private let pointer: UnsafeMutablePointer<aom_codec_ctx_t>

  init(_ configuration: aom_codec_enc_cfg_t) throws(CodecError) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: aom_codec_ctx_t())
    var configuration = configuration
    let result = aom_enc_init(pointer, aom_codec_av1_cx(), &configuration, 0)
    guard result == AOM_CODEC_OK else {
      pointer.deallocate()
      throw .unavailable(codec: "AV1", reason: Self.message(result))
    }
  }

  deinit {
    aom_codec_destroy(pointer)
    pointer.deallocate()
  }

  func set(_ control: aome_enc_control_id, _ value: Int32) { _ = aom_set(pointer, Int32(control.rawValue), value) }

  /// Changes the configuration within the stream.
  /// - Throws: ``CodecError/invalidSetting(_:)``
  func configure(_ configuration: aom_codec_enc_cfg_t) throws(CodecError) {
    var configuration = configuration
    let result = aom_codec_enc_config_set(pointer, &configuration)
    guard result == AOM_CODEC_OK else {
      throw .invalidSetting("libaom rejected \(configuration.rc_target_bitrate) kbit/s: \(Self.message(result))")
    }
  }

  /// Encodes one picture to a temporal unit. Returns nil if the encoder drops it.
  /// - Parameters:
  ///   - time: In µs; increases from picture to picture.
  ///   - duration: In µs.
  func encode(
    _ picture: VideoFrame, time: Int64, duration: Int, flags: aom_enc_frame_flags_t
  ) throws(CodecError) -> (data: [UInt8], isKeyFrame: Bool)? {
    let result = picture.withPlanes { planes in
      var image = aom_image_t()
      image.fmt = AOM_IMG_FMT_I420
      image.cp = AOM_CICP_CP_BT_601
      image.tc = AOM_CICP_TC_BT_601
      image.mc = AOM_CICP_MC_BT_601
      image.range = AOM_CR_STUDIO_RANGE
      image.bit_depth = 8
      image.w = UInt32(planes.width)
      image.h = UInt32(planes.height)
      image.d_w = image.w
      image.d_h = image.h
      image.x_chroma_shift = 1
      image.y_chroma_shift = 1
      image.bps = 12
      // libaom only reads its input.
      image.planes.0 = UnsafeMutablePointer(mutating: planes.y)
      image.planes.1 = UnsafeMutablePointer(mutating: planes.u)
      image.planes.2 = UnsafeMutablePointer(mutating: planes.v)
      image.stride.0 = Int32(planes.yStride)
      image.stride.1 = Int32(planes.chromaStride)
      image.stride.2 = Int32(planes.chromaStride)
      return aom_codec_encode(pointer, &image, time, UInt(duration), flags)
    }
    guard result == AOM_CODEC_OK else { throw .encodingFailed(codec: "AV1", reason: Self.message(result)) }
    var iterator: aom_codec_iter_t?
    while let packet = aom_codec_get_cx_data(pointer, &iterator) {
      guard packet.pointee.kind == AOM_CODEC_CX_FRAME_PKT else { continue }
      let frame = packet.pointee.data.frame
      guard let bytes = frame.buf, frame.sz > 0 else { continue }
      let isKeyFrame = frame.flags & UInt32(AOM_FRAME_IS_KEY) != 0
      return ([UInt8](UnsafeRawBufferPointer(start: bytes, count: frame.sz)), isKeyFrame)
    }
    return nil
  }

  private static func message(_ result: aom_codec_err_t) -> String { String(cString: aom_codec_err_to_string(result)) }
}
