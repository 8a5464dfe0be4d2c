import CFFmpeg
public import RTP

/// H.264 (Annex B) by libavcodec with no reordering delay.
///
/// Pictures with broken slices are not shown: ``decode(_:timestamp:)`` throws. A whole picture that is missing goes mostly
/// unnoticed, for libavcodec stands in for it: whoever feeds this has to stop at a gap and ask for a key frame.
public final class H264Decoder: VideoDecoder {
  private let codec: LibavDecoder

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` where libavcodec was built without it.
  public init() throws(CodecError) {
    codec = try LibavDecoder(live: AV_CODEC_ID_H264, name: "H.264")
  }

  /// One access unit in, its picture out; any size, 8 bit 4:2:0 (others are converted).
  public func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    try codec.decodePicture(data, timestamp: timestamp)
  }
}
