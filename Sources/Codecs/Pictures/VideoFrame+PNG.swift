import RoomCFFmpeg
import RoomCYUV

extension VideoFrame {
  /// Returns the picture as a PNG file with 8-bit red, green and blue.
  /// - Throws: ``CodecError/unavailable(codec:reason:)``, ``CodecError/encodingFailed(codec:reason:)``
  public func png() throws(CodecError) -> [UInt8] {
    Libav.silence()
    var context = ff_picture_encoder(AV_CODEC_ID_PNG, AV_PIX_FMT_RGB24, Int32(width), Int32(height))
    var frame = av_frame_alloc()
    var packet = av_packet_alloc()
    defer {
      avcodec_free_context(&context)
      av_frame_free(&frame)
      av_packet_free(&packet)
    }
    guard let context else { throw .unavailable(codec: "PNG", reason: "libavcodec has no encoder") }
    let opened = ff_open(context)
    guard opened >= 0 else { throw .unavailable(codec: "PNG", reason: Libav.message(opened)) }
    guard let frame, let packet, ff_picture_frame(frame, context) >= 0 else {
      throw .encodingFailed(codec: "PNG", reason: "no memory")
    }
    withPlanes { planes in
      // libyuv names formats by the little-endian word: RAW is R, G, B in memory.
      _ = I420ToRAW(
        planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride),
        frame.pointee.data.0, frame.pointee.linesize.0, Int32(width), Int32(height))
    }
    var result = avcodec_send_frame(context, frame)
    if result >= 0 { result = avcodec_send_frame(context, nil) }
    if result >= 0 { result = avcodec_receive_packet(context, packet) }
    guard result >= 0, let data = packet.pointee.data else {
      throw .encodingFailed(codec: "PNG", reason: Libav.message(result))
    }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
  }
}
