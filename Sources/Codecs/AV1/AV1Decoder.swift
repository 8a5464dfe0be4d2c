import RoomCFFmpeg
public import RoomRTP

/// Decodes AV1 with libavcodec (libdav1d), from temporal units in low-overhead OBU format.
public final class AV1Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec was built without AV1.
  public init() throws(CodecError) { codec = try LibavDecoder(live: AV_CODEC_ID_AV1, name: "AV1") }

  /// Decodes one temporal unit.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}
