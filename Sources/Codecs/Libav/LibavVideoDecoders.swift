import CFFmpeg
public import RTP

/// VP9 by libavcodec. What ``VP8Decoder`` says of missing frames holds here too.
public final class VP9Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` where libavcodec was built without it.
  public init() throws(CodecError) { codec = try LibavDecoder(live: AV_CODEC_ID_VP9, name: "VP9") }

  /// One frame (of one layer) in, its picture out.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}

/// AV1 by libavcodec (libdav1d), from temporal units in low-overhead OBU format.
public final class AV1Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` where libavcodec was built without it.
  public init() throws(CodecError) { codec = try LibavDecoder(live: AV_CODEC_ID_AV1, name: "AV1") }

  /// One temporal unit in, its picture out.
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}
