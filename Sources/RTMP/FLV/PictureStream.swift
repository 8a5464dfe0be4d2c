import RoomRTP

/// Converts H.264 pictures in Annex B format to FLV video. A new sequence header precedes each key frame whose parameter sets
/// changed. Each key frame also carries its parameter sets, because many players read only the first sequence header.
public struct PictureStream: Sendable {
  /// The current configuration; nil before the first key frame.
  public private(set) var configuration: AVCConfiguration?
  /// The size in the last sequence header, in pixels.
  public private(set) var size: (width: Int, height: Int)?

  /// The FLV payloads of a picture.
  public struct Payloads: Sendable {
    /// The sequence header to send before the picture if its configuration changed.
    public var sequenceHeader: [UInt8]?
    public var picture: [UInt8]
  }

  /// Creates the stream before its first key frame.
  public init() {}

  /// Converts a picture in Annex B form. Returns nil if the picture has no slice, or if it is a key frame and no parameter sets have arrived yet.
  /// - Parameter compositionTime: presentation time minus decoding time, in milliseconds.
  public mutating func payloads(of annexB: [UInt8], isKeyFrame: Bool, compositionTime: Int32 = 0) -> Payloads? {
    let header = VideoTag.avcHeader(.codedFrames, isKeyFrame: isKeyFrame, compositionTime: compositionTime)
    var unit = annexB.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0, behind: header) }
    guard unit.data.count > header.count else { return nil }
    var sequenceHeader: [UInt8]?
    if isKeyFrame {
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
