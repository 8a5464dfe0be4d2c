public import RoomRTP

extension PayloadFormat {
  /// Creates a decoder of this format.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` for audio, or if the decoder is missing.
  public func makeVideoDecoder() throws(CodecError) -> any VideoDecoder {
    switch self {
    case .vp8: try VP8Decoder()
    case .vp9: try VP9Decoder()
    case .av1: try AV1Decoder()
    case .h264: try H264Decoder()
    case .opus: throw .unavailable(codec: "opus", reason: "it is audio")
    }
  }
}
