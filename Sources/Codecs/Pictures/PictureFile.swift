import RoomCFFmpeg
import RoomCYUV

/// The files of one picture that libavcodec writes.
private enum PictureFile: String {
  case jpeg = "JPEG"
  case png = "PNG"

  private var encoder: (id: AVCodecID, format: AVPixelFormat) {
    switch self {
    case .jpeg: (AV_CODEC_ID_MJPEG, AV_PIX_FMT_YUVJ420P)
    case .png: (AV_CODEC_ID_PNG, AV_PIX_FMT_RGB24)
    }
  }

  /// Returns a file.
  /// - Parameters:
  ///   - quality: nil for a file without loss.
  ///   - draw: fills the picture.
  func encode(
    _ width: Int, _ height: Int, quality: Int32? = nil, draw: (UnsafeMutablePointer<AVFrame>) -> Void
  ) throws(CodecError) -> [UInt8] {
    Libav.silence()
    var context = ff_picture_encoder(encoder.id, encoder.format, Int32(width), Int32(height))
    var frame = av_frame_alloc()
    var packet = av_packet_alloc()
    defer {
      avcodec_free_context(&context)
      av_frame_free(&frame)
      av_packet_free(&packet)
    }
    guard let context else { throw .unavailable(codec: rawValue, reason: "libavcodec has no encoder") }
    if let quality {
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = quality
    }
    let opened = ff_open(context)
    guard opened >= 0 else { throw .unavailable(codec: rawValue, reason: Libav.message(opened)) }
    guard let frame, let packet, ff_picture_frame(frame, context) >= 0 else {
      throw .encodingFailed(codec: rawValue, reason: "no memory")
    }
    if let quality { frame.pointee.quality = quality }
    draw(frame)
    var result = avcodec_send_frame(context, frame)
    if result >= 0 { result = avcodec_send_frame(context, nil) }
    if result >= 0 { result = avcodec_receive_packet(context, packet) }
    guard result >= 0, let data = packet.pointee.data else {
      throw .encodingFailed(codec: rawValue, reason: Libav.message(result))
    }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
  }
}

extension VideoFrame {
  /// Returns the picture as a PNG file with 8-bit red, green and blue.
  /// - Throws: ``CodecError/unavailable(codec:reason:)``, ``CodecError/encodingFailed(codec:reason:)``
  public func png() throws(CodecError) -> [UInt8] {
    try PictureFile.png.encode(width, height) { frame in
      withPlanes { planes in
        // libyuv names formats by the little-endian word: RAW is R, G, B in memory.
        _ = I420ToRAW(
          planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride),
          frame.pointee.data.0, frame.pointee.linesize.0, Int32(width), Int32(height))
      }
    }
  }

  /// Returns the picture as a JPEG file with 4:2:0 chroma.
  /// - Parameter quantiser: 2…31; a smaller one makes a better and larger file.
  /// - Throws: ``CodecError/unavailable(codec:reason:)``, ``CodecError/encodingFailed(codec:reason:)``
  public func jpeg(quantiser: Int = 5) throws(CodecError) -> [UInt8] {
    try PictureFile.jpeg.encode(width, height, quality: FF_QP2LAMBDA * Int32(min(max(quantiser, 2), 31))) {
      copyInFullRange(to: $0)
    }
  }

  /// JPEG files have no limited range: black is 0 and white is 255 (ITU-T T.871 §7).
  private func copyInFullRange(to frame: UnsafeMutablePointer<AVFrame>) {
    let luma = Self.stretched(offset: 16, range: 219, zero: 0)
    let chroma = Self.stretched(offset: 128, range: 224, zero: 128)
    let (data, lines) = (frame.pointee.data, frame.pointee.linesize)
    withPlanes { planes in
      Self.copy(planes.y, planes.yStride, planes.width, planes.height, by: luma, to: data.0, Int(lines.0))
      for (source, target, stride) in [(planes.u, data.1, lines.1), (planes.v, data.2, lines.2)] {
        Self.copy(
          source, planes.chromaStride, planes.chromaWidth, planes.chromaHeight, by: chroma, to: target, Int(stride))
      }
    }
  }

  /// Returns the full-range value of each limited-range one.
  private static func stretched(offset: Int, range: Int, zero: Int) -> [UInt8] {
    (0..<256).map { UInt8(clamping: zero + Int((Double(($0 - offset) * 255) / Double(range)).rounded())) }
  }

  private static func copy(
    _ source: UnsafePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int, by table: [UInt8],
    to target: UnsafeMutablePointer<UInt8>?, _ targetStride: Int
  ) {
    guard let target else { return }
    table.withUnsafeBufferPointer { table in
      for row in 0..<height {
        let (from, to) = (source + row * stride, target + row * targetStride)
        for column in 0..<width { to[column] = table[Int(from[column])] }
      }
    }
  }
}
