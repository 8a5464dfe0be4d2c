import RoomCFFmpeg
import RoomCYUV

extension VideoFrame {
  /// Copies a decoded picture, converted to 8-bit I420.
  init(copying source: UnsafePointer<AVFrame>, pool: FramePool = .shared) throws(CodecError) {
    let picture = source.pointee
    try self.init(width: Int(picture.width), height: Int(picture.height), pool: pool)
    let isBT709 = picture.colorspace == AVCOL_SPC_BT709 && picture.color_range != AVCOL_RANGE_JPEG
    let converted = withMutablePlanes { planes in
      guard LibavPicture(frame: picture).convert(into: planes) else { return false }
      if isBT709 { planes.convertFromBT709() }
      return true
    }
    guard converted else {
      let format = AVPixelFormat(rawValue: picture.format)
      throw .unsupportedPixelFormat(av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(picture.format)")
    }
  }
}

/// A picture that libavcodec has decoded.
private struct LibavPicture {
  let frame: AVFrame

  /// Returns false if libyuv cannot convert the format to I420.
  func convert(into target: MutableI420Planes) -> Bool {
    guard let first = frame.data.0 else { return false }
    let stride = frame.linesize
    let width = Int32(target.width)
    let height = Int32(target.height)
    let y = Int32(target.yStride)
    let c = Int32(target.chromaStride)

    typealias ThreePlanes = (
      UnsafePointer<UInt8>?, Int32, UnsafePointer<UInt8>?, Int32, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?,
      Int32, UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
    ) -> Int32
    typealias ThreeWordPlanes = (
      UnsafePointer<UInt16>?, Int32, UnsafePointer<UInt16>?, Int32, UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt8>?,
      Int32, UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
    ) -> Int32
    typealias TwoPlanes = (
      UnsafePointer<UInt8>?, Int32, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32,
      UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
    ) -> Int32
    typealias OnePlane = (
      UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32,
      UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
    ) -> Int32

    func three(_ function: ThreePlanes) -> Bool {
      guard let second = frame.data.1, let third = frame.data.2 else { return false }
      return function(
        first, stride.0, second, stride.1, third, stride.2, target.y, y, target.u, c, target.v, c, width, height) == 0
    }
    func words(_ function: ThreeWordPlanes) -> Bool {
      three { y0, s0, u0, s1, v0, s2, y1, t0, u1, t1, v1, t2, width, height in
        // libyuv's 10-bit strides count samples, FFmpeg's count bytes.
        withWords(y0, u0, v0) { function($0, s0 / 2, $1, s1 / 2, $2, s2 / 2, y1, t0, u1, t1, v1, t2, width, height) }
      }
    }
    func two(_ function: TwoPlanes) -> Bool {
      guard let second = frame.data.1 else { return false }
      return function(first, stride.0, second, stride.1, target.y, y, target.u, c, target.v, c, width, height) == 0
    }
    func one(_ function: OnePlane) -> Bool {
      function(first, stride.0, target.y, y, target.u, c, target.v, c, width, height) == 0
    }

    switch AVPixelFormat(rawValue: frame.format) {
    case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: return three(I420Copy)
    case AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P: return three(I422ToI420)
    case AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P: return three(I444ToI420)
    case AV_PIX_FMT_NV12: return two(NV12ToI420)
    case AV_PIX_FMT_NV21: return two(NV21ToI420)
    case AV_PIX_FMT_GRAY8: return one(I400ToI420)
    case AV_PIX_FMT_YUYV422: return one(YUY2ToI420)
    case AV_PIX_FMT_UYVY422: return one(UYVYToI420)
    // libyuv names formats by the little-endian word, FFmpeg by the byte order in memory.
    case AV_PIX_FMT_RGB24: return one(RAWToI420)
    case AV_PIX_FMT_BGR24: return one(RGB24ToI420)
    case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: return one(ABGRToI420)
    case AV_PIX_FMT_BGRA, AV_PIX_FMT_BGR0: return one(ARGBToI420)
    case AV_PIX_FMT_YUV420P10LE: return words(I010ToI420)
    case AV_PIX_FMT_YUV422P10LE: return words(I210ToI420)
    case AV_PIX_FMT_YUV444P10LE: return words(I410ToI420)
    default: return false
    }
  }

  private func withWords(
    _ y: UnsafePointer<UInt8>?, _ u: UnsafePointer<UInt8>?, _ v: UnsafePointer<UInt8>?,
    _ body: (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?) -> Int32
  ) -> Int32 {
    func words(_ bytes: UnsafePointer<UInt8>?) -> UnsafePointer<UInt16>? {
      bytes.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt16.self) }
    }
    return body(words(y), words(u), words(v))
  }
}
