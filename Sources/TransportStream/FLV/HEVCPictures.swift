import RoomRTMP
import RoomRTP

/// Converts HEVC pictures in Annex B format to enhanced RTMP, as ``PictureStream`` does it for H.264: a new sequence header
/// precedes each key frame whose parameter sets changed, and each key frame carries its sets.
struct HEVCPictures {
  /// The payloads of a picture's messages.
  struct Payloads {
    /// The sequence header to send before the picture if its configuration changed.
    var sequenceHeader: [UInt8]?
    var picture: [UInt8]
  }

  private var configuration: HEVCConfiguration?

  /// Converts a picture in Annex B form. Returns nil if the picture has no slice, or if no parameter sets have arrived yet.
  /// - Parameter compositionTime: presentation time minus decoding time, in milliseconds.
  mutating func payloads(of annexB: [UInt8], isKeyFrame: Bool, compositionTime: Int32) -> Payloads? {
    var sets = HEVCConfiguration.Sets()
    var units: [UInt8] = []
    units.reserveCapacity(annexB.count + 64)
    var hasPicture = false
    annexB.withUnsafeBytes { bytes in
      for range in AnnexB(bytes) where range.count > 2 {
        let type = HEVCUnit.type(bytes[range.lowerBound])
        switch type {
        case HEVCUnit.videoParameters: Self.add(annexB[range], &sets.video)
        case HEVCUnit.sequenceParameters: Self.add(annexB[range], &sets.sequence)
        case HEVCUnit.pictureParameters: Self.add(annexB[range], &sets.picture)
        case HEVCUnit.delimiter, HEVCUnit.filler: break
        default:
          if type < HEVCUnit.videoParameters { hasPicture = true }
          units.append(unit: annexB[range])
        }
      }
    }
    guard hasPicture else { return nil }
    var sequenceHeader: [UInt8]?
    var picture = VideoTag.enhancedHeader(.hevc, .codedFrames, isKeyFrame: isKeyFrame, compositionTime: compositionTime)
    if isKeyFrame {
      if let configuration { sets = sets.completed(by: configuration.sets) }
      guard let next = sets == configuration?.sets ? configuration : HEVCConfiguration(sets) else { return nil }
      if next != configuration {
        configuration = next
        sequenceHeader = next.sequenceHeader
      }
      picture += next.sets.units
    }
    guard configuration != nil else { return nil }
    return Payloads(sequenceHeader: sequenceHeader, picture: picture + units)
  }

  private static func add(_ unit: ArraySlice<UInt8>, _ sets: inout [[UInt8]]) {
    let unit = Array(unit)
    if !sets.contains(unit), sets.count < 64 { sets.append(unit) }
  }
}
