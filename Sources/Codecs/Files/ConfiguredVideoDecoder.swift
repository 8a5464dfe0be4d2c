import RoomCFFmpeg
public import RoomRTP

/// Decodes video from FLV or MP4: samples in the container's format, in decoding order, which may differ from presentation
/// order. One owner at a time.
public final class ConfiguredVideoDecoder {
  private let codec: LibavDecoder

  /// - Parameter configuration: The avcC, hvcC or av1C record; ignored for VP8 and VP9.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` for an audio codec, or if libavcodec rejects the configuration.
  public init(_ codec: FragmentedMP4.Codec, configuration: [UInt8]) throws(CodecError) {
    let (id, name) =
      switch codec {
      case .h264: (AV_CODEC_ID_H264, "H.264")
      case .hevc: (AV_CODEC_ID_HEVC, "HEVC")
      case .av1: (AV_CODEC_ID_AV1, "AV1")
      case .vp8: (AV_CODEC_ID_VP8, "VP8")
      case .vp9: (AV_CODEC_ID_VP9, "VP9")
      case .aac, .opus: (AV_CODEC_ID_NONE, "sound")
      }
    self.codec = try LibavDecoder(id, name: name, configuration: codec.isVPX ? [] : configuration)
  }

  /// Decodes one sample. Returns pictures in presentation order; none while earlier ones are outstanding.
  /// - Parameter timestamp: The presentation time.
  /// - Throws: ``CodecError/corrupt(codec:reason:)`` if a key frame is needed; the decoder stays usable.
  public func decode(_ data: some Collection<UInt8>, timestamp: MediaTime) throws(CodecError) -> [VideoFrame] {
    guard !data.isEmpty else { throw .corrupt(codec: "video", reason: "no data") }
    try codec.send(data, timestamp: timestamp)
    return try ready()
  }

  /// Returns the pictures that are outstanding after the last sample. ``restart()`` makes the decoder usable again.
  public func finish() throws(CodecError) -> [VideoFrame] {
    try codec.send(nil)
    return try ready()
  }

  private func ready() throws(CodecError) -> [VideoFrame] {
    var pictures: [VideoFrame] = []
    while let picture = try codec.receivePicture() { pictures.append(picture) }
    return pictures
  }

  /// Discards the decoder's state, before a key frame that does not follow the previous samples.
  public func restart() { codec.flush() }
}
