import RoomCFFmpeg
public import RoomRTP

/// Decodes H.264 (Annex B) with libavcodec, without reordering delay.
///
/// Pictures with corrupt slices are not shown: ``decode(_:timestamp:)`` throws. A missing picture is usually not detected,
/// because libavcodec conceals it. The caller must stop at a gap and request a key frame.
public final class H264Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec was built without H.264.
  public init() throws(CodecError) {
    codec = try LibavDecoder(live: AV_CODEC_ID_H264, name: "H.264")
  }

  /// Decodes one access unit of any size. Formats other than 8-bit 4:2:0 are converted.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}
