import RoomCodecs
import RoomRTMP
import RoomRTP

/// Converts H.264 pictures in Annex B format to FLV video. A new sequence header precedes each key frame whose parameter sets
/// changed. Each key frame also carries its parameter sets, because many players read only the first sequence header.
struct PictureStream {
  /// The current configuration; nil before the first key frame.
  private(set) var configuration: AVCConfiguration?
  /// The size in the last sequence header, in pixels.
  private(set) var size: (width: Int, height: Int)?

  /// The FLV payloads of a picture.
  struct Payloads {
    /// The sequence header to send before the picture if its configuration changed.
    var sequenceHeader: [UInt8]?
    var picture: [UInt8]
  }

  /// Returns nil if the picture has no slice, or if it is a key frame and no parameter sets have arrived yet.
  mutating func payloads(of picture: EncodedPicture) -> Payloads? {
    let header = VideoTag.avcHeader(.codedFrames, isKeyFrame: picture.isKeyFrame)
    var unit = picture.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0, behind: header) }
    guard unit.data.count > header.count else { return nil }
    var sequenceHeader: [UInt8]?
    if picture.isKeyFrame {
      // Parameter sets that are not repeated keep their last value.
      let next = AVCConfiguration(
        sequenceParameters: unit.sequenceParameters.isEmpty ? configuration?.sequenceParameters ?? [] : unit.sequenceParameters,
        pictureParameters: unit.pictureParameters.isEmpty ? configuration?.pictureParameters ?? [] : unit.pictureParameters)
      guard let next else { return nil }
      if next != configuration {
        configuration = next
        size = next.sequenceParameters.first.flatMap(SequenceParameters.init(parsing:)).map { ($0.width, $0.height) }
        sequenceHeader = next.sequenceHeader
      }
      unit.insert(next, behind: header.count)
    }
    guard configuration != nil else { return nil }
    return Payloads(sequenceHeader: sequenceHeader, picture: unit.data)
  }
}
