import Codecs
import RTMP

/// Turns H.264 pictures in Annex B form into FLV video, with a new sequence header before each key frame whose parameter sets differ
/// from the last. Each key frame carries its parameter sets as well, because many players read only the first sequence header.
struct PictureStream {
  /// As last told; nil before the first key frame.
  private(set) var configuration: AVCConfiguration?
  /// Of the last sequence header, in pixels.
  private(set) var size: (width: Int, height: Int)?

  /// What a picture becomes.
  struct Payloads {
    /// Before the picture, where its configuration is new.
    var sequenceHeader: [UInt8]?
    var picture: [UInt8]
  }

  /// Nil where there is no slice in it, or a key frame has come with no parameter sets at all.
  mutating func payloads(of picture: EncodedPicture) -> Payloads? {
    let header = VideoTag.avcHeader(.codedFrames, isKeyFrame: picture.isKeyFrame)
    var unit = picture.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0, behind: header) }
    guard unit.data.count > header.count else { return nil }
    var sequenceHeader: [UInt8]?
    if picture.isKeyFrame {
      // Sets that are not told again stay those told before.
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
