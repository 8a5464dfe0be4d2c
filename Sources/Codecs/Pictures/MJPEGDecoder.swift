import RoomCFFmpeg
public import RoomRTP

/// Decodes Motion JPEG, as cameras deliver it: each picture is a JPEG file, some without Huffman tables. The result has limited
/// range.
public final class MJPEGDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec was built without MJPEG.
  public init() throws(CodecError) { codec = try LibavDecoder(live: AV_CODEC_ID_MJPEG, name: "MJPEG") }

  /// Decodes one picture. Returns nil if libavcodec has none to show.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``, ``CodecError/unsupportedPixelFormat(_:)``; the decoder stays usable.
  public func decode(
    _ data: some Collection<UInt8>, timestamp: MediaTime, pool: FramePool = .shared
  ) throws(CodecError) -> VideoFrame? {
    guard !data.isEmpty else { throw .corrupt(codec: codec.name, reason: "no data") }
    try codec.send(data)
    return try codec.receive { (frame) throws(CodecError) in
      guard ff_frame_is_damaged(frame) == 0 else { throw .corrupt(codec: codec.name, reason: "part of the picture is missing") }
      let format = AVPixelFormat(rawValue: frame.pointee.format)
      switch format {
      case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P:
        return try VideoFrame(fullRange: frame, format, timestamp: timestamp, pool: pool)
      default:
        var picture = try VideoFrame(copying: frame, pool: pool)
        picture.timestamp = timestamp
        return picture
      }
    }
  }
}
