import CFFmpeg
public import RTP

/// Decodes the pictures of FLV or MP4: samples in the container's form, in decoding order, of which some are shown later than
/// others. One owner at a time.
public final class ConfiguredVideoDecoder {
  private let codec: LibavDecoder

  /// - Parameter configuration: avcC, hvcC or av1C.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` for sound, and where libavcodec refuses the configuration.
  public init(_ codec: FragmentedMP4.Codec, configuration: [UInt8]) throws(CodecError) {
    let (id, name) =
      switch codec {
      case .h264: (AV_CODEC_ID_H264, "H.264")
      case .hevc: (AV_CODEC_ID_HEVC, "HEVC")
      case .av1: (AV_CODEC_ID_AV1, "AV1")
      case .aac, .opus: (AV_CODEC_ID_NONE, "sound")
      }
    self.codec = try LibavDecoder(id, name: name, configuration: configuration)
  }

  /// One sample in; pictures out, in the order in which they are shown: none while others have to come first.
  /// - Parameter timestamp: when it is shown.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``: a key frame is needed; the decoder stays usable.
  public func decode(_ data: some Collection<UInt8>, timestamp: MediaTime) throws(CodecError) -> [VideoFrame] {
    guard !data.isEmpty else { throw .corrupt(codec: "video", reason: "no data") }
    try codec.send(data, timestamp: timestamp)
    var pictures: [VideoFrame] = []
    while let picture = try codec.receivePicture() { pictures.append(picture) }
    return pictures
  }

  /// Forgets everything fed so far, before a key frame that does not follow it.
  public func restart() { codec.flush() }
}
