import RoomCVPX
import RoomCYUV
public import RoomRTP

/// Decodes VP8 with libvpx on one thread.
///
/// VP8 frames are not numbered: the decoder cannot detect a missing frame and continues with a wrong reference. The caller must
/// stop at a gap and request a key frame.
public final class VP8Decoder: VideoDecoder {
  private let codec: UnsafeMutablePointer<vpx_codec_ctx_t>

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libvpx was built without VP8.
  public init() throws(CodecError) {
    codec = .allocate(capacity: 1)
    codec.initialize(to: vpx_codec_ctx_t())
    var configuration = vpx_codec_dec_cfg_t(threads: 1, w: 0, h: 0)
    let result = vpx_dec_init(codec, vpx_codec_vp8_dx(), &configuration, 0)
    guard result == VPX_CODEC_OK else {
      codec.deallocate()
      throw .unavailable(codec: "VP8", reason: String(cString: vpx_codec_err_to_string(result)))
    }
  }

  deinit {
    vpx_codec_destroy(codec)
    codec.deallocate()
  }

  /// Decodes one frame.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    // libvpx treats an empty frame as "repeat the last one".
    guard !data.isEmpty, data.count < Int(Int32.max) else { throw .corrupt(codec: "VP8", reason: "\(data.count) bytes") }
    // Check a key frame's size before libvpx allocates memory for it (RFC 6386 §9.1).
    if data[0] & 1 == 0 {
      guard data.count >= 10 else { throw .corrupt(codec: "VP8", reason: "a key frame of \(data.count) bytes") }
      let width = (Int(data[6]) | Int(data[7]) << 8) & 0x3fff
      let height = (Int(data[8]) | Int(data[9]) << 8) & 0x3fff
      guard VideoFrame.isSupported(width: width, height: height) else {
        throw .unsupportedSize(width: width, height: height)
      }
    }
    let result = vpx_codec_decode(codec, data, UInt32(data.count), nil, 0)
    guard result == VPX_CODEC_OK else {
      throw .corrupt(codec: "VP8", reason: String(cString: vpx_codec_err_to_string(result)))
    }
    var corrupted: Int32 = 0
    _ = vpx_codec_control_VP8D_GET_FRAME_CORRUPTED(codec, Int32(VP8D_GET_FRAME_CORRUPTED.rawValue), &corrupted)
    guard corrupted == 0 else { throw .corrupt(codec: "VP8", reason: "a partition is missing") }
    var last: VideoFrame?
    var iterator: vpx_codec_iter_t?
    while let image = vpx_codec_get_frame(codec, &iterator) { last = try copy(image.pointee, timestamp: timestamp) }
    return last
  }

  private func copy(_ image: vpx_image_t, timestamp: MediaTime) throws(CodecError) -> VideoFrame {
    guard image.fmt == VPX_IMG_FMT_I420 else { throw .unsupportedPixelFormat("vpx \(image.fmt.rawValue)") }
    var frame = try VideoFrame(width: Int(image.d_w), height: Int(image.d_h), timestamp: timestamp)
    frame.withMutablePlanes { target in
      _ = I420Copy(
        image.planes.0, image.stride.0, image.planes.1, image.stride.1, image.planes.2, image.stride.2, target.y,
        Int32(target.yStride), target.u, Int32(target.chromaStride), target.v, Int32(target.chromaStride),
        Int32(target.width), Int32(target.height))
    }
    return frame
  }
}
