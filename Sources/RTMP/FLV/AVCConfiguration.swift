import RoomRTP

/// The configuration that an H.264 decoder needs before the first picture: AVCDecoderConfigurationRecord (ISO/IEC 14496-15
/// §5.2.4.1), the body of the sequence header.
public struct AVCConfiguration: Hashable, Sendable {
  /// The profile, with its constraints and level, as in the SPS.
  public var profile: UInt8
  public var constraints: UInt8
  public var level: UInt8
  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  public var lengthSize: Int
  /// Sequence parameter sets, without start codes and lengths.
  public var sequenceParameters: [[UInt8]]
  /// Picture parameter sets, without start codes and lengths.
  public var pictureParameters: [[UInt8]]
  /// The record's last fields for high profiles, unparsed: colour format and bit depths.
  public var highProfileFields: [UInt8]

  /// Creates the configuration of these parameter sets, with lengths of 4 bytes. Returns nil if no SPS has at least 4 bytes, if
  /// there are more than 31, or if one is too long.
  public init?(sequenceParameters: [[UInt8]], pictureParameters: [[UInt8]]) {
    guard let first = sequenceParameters.first, first.count >= 4, sequenceParameters.count <= 31,
      pictureParameters.count <= 255,
      (sequenceParameters + pictureParameters).allSatisfy({ $0.count <= 0xffff && !$0.isEmpty })
    else { return nil }
    profile = first[1]
    constraints = first[2]
    level = first[3]
    lengthSize = 4
    self.sequenceParameters = sequenceParameters
    self.pictureParameters = pictureParameters
    highProfileFields = []
    if [100, 110, 122, 144].contains(profile), let picture = SequenceParameters(parsing: first) {
      highProfileFields = [
        0xfc | picture.chromaFormat, 0xf8 | ((picture.lumaDepth &- 8) & 0x07), 0xf8 | ((picture.chromaDepth &- 8) & 0x07), 0,
      ]
    }
  }

  /// Parses a record. Returns nil if it is truncated or has a length size of 3.
  public init?(parsing record: UnsafeRawBufferPointer) {
    var reader = ByteReader(record)
    guard reader.uint8() == 1, let profile = reader.uint8(), let constraints = reader.uint8(), let level = reader.uint8(),
      let size = reader.uint8(), size & 0x03 != 2, let count = reader.uint8(),
      let sequenceParameters = Self.sets(&reader, count: Int(count & 0x1f)), let pictureCount = reader.uint8(),
      let pictureParameters = Self.sets(&reader, count: Int(pictureCount))
    else { return nil }
    self.profile = profile
    self.constraints = constraints
    self.level = level
    lengthSize = Int(size & 0x03) + 1
    self.sequenceParameters = sequenceParameters
    self.pictureParameters = pictureParameters
    highProfileFields = Array(reader.rest)
  }

  private static func sets(_ reader: inout ByteReader, count: Int) -> [[UInt8]]? {
    var sets: [[UInt8]] = []
    for _ in 0..<count {
      guard let length = reader.uint16(), let set = reader.bytes(Int(length)) else { return nil }
      sets.append(Array(set))
    }
    return sets
  }

  /// The encoded record.
  public var encoded: [UInt8] {
    var record: [UInt8] = [1, profile, constraints, level, 0xfc | UInt8(truncatingIfNeeded: lengthSize - 1)]
    record.append(0xe0 | UInt8(truncatingIfNeeded: sequenceParameters.count))
    for set in sequenceParameters {
      record.append16(UInt16(truncatingIfNeeded: set.count))
      record += set
    }
    record.append(UInt8(truncatingIfNeeded: pictureParameters.count))
    for set in pictureParameters {
      record.append16(UInt16(truncatingIfNeeded: set.count))
      record += set
    }
    return record + highProfileFields
  }

  /// All parameter sets as NAL units, each behind its length, as they precede a key frame's slices; nil if a set is too long
  /// for ``lengthSize``.
  public var parameterSetUnits: [UInt8]? {
    var units: [UInt8] = []
    for set in sequenceParameters + pictureParameters {
      guard lengthSize >= 4 || set.count < 1 << (8 * lengthSize) else { return nil }
      for shift in (0..<lengthSize).reversed() { units.append(UInt8(truncatingIfNeeded: set.count >> (8 * shift))) }
      units += set
    }
    return units
  }

  /// The sequence header's message payload: the tag's header and the record.
  public var sequenceHeader: [UInt8] { VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + encoded }
}
