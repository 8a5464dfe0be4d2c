import RoomCFFmpeg
public import RoomRTP

/// Decodes VP9 with libavcodec. The note on missing frames at ``VP8Decoder`` applies here too.
public final class VP9Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec was built without VP9.
  public init() throws(CodecError) { codec = try LibavDecoder(live: AV_CODEC_ID_VP9, name: "VP9") }

  /// Decodes one frame of one layer.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}
