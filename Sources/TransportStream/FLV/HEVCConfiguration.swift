import RoomRTMP
import RoomRTP

/// The configuration that an HEVC decoder needs before the first picture: HEVCDecoderConfigurationRecord (ISO/IEC 14496-15
/// §8.3.3.1), the body of the sequence header.
struct HEVCConfiguration: Equatable {
  /// The parameter sets as NAL units, without start codes and lengths.
  struct Sets: Equatable {
    var video: [[UInt8]] = []
    var sequence: [[UInt8]] = []
    var picture: [[UInt8]] = []

    /// Sets that are not repeated keep their last value.
    func completed(by former: Sets) -> Sets {
      Sets(
        video: video.isEmpty ? former.video : video, sequence: sequence.isEmpty ? former.sequence : sequence,
        picture: picture.isEmpty ? former.picture : picture)
    }

    /// All sets, each behind its length of 4 bytes, as they precede a key frame's slices.
    var units: [UInt8] { (video + sequence + picture).reduce(into: []) { $0.append(unit: $1[...]) } }
  }

  /// Sets of one type at most: those of picture parameters in §7.4.3.3.1.
  private static let mostSets = 64

  let sets: Sets
  private let header: [UInt8]

  /// Creates the configuration of these sets. Returns nil if a kind is missing or the SPS is unreadable.
  init?(_ sets: Sets) {
    let all = [sets.video, sets.sequence, sets.picture]
    guard all.allSatisfy({ !$0.isEmpty && $0.count <= Self.mostSets && $0.allSatisfy { $0.count <= 0xffff } }),
      let header = sets.sequence.first.flatMap(Self.header)
    else { return nil }
    self.sets = sets
    self.header = header
  }

  /// The sequence header's message payload.
  var sequenceHeader: [UInt8] {
    var record = VideoTag.enhancedHeader(.hevc, .sequenceStart, isKeyFrame: true) + header
    let arrays = [
      (HEVCUnit.videoParameters, sets.video), (HEVCUnit.sequenceParameters, sets.sequence),
      (HEVCUnit.pictureParameters, sets.picture),
    ]
    record.append(UInt8(arrays.count))
    for (type, sets) in arrays {
      record += [type, UInt8(truncatingIfNeeded: sets.count >> 8), UInt8(truncatingIfNeeded: sets.count)]
      for set in sets { record += [UInt8(truncatingIfNeeded: set.count >> 8), UInt8(truncatingIfNeeded: set.count)] + set }
    }
    return record
  }

  /// Returns the record up to its arrays, by a sequence parameter set (ITU-T H.265 §7.3.2.2).
  private static func header(_ unit: [UInt8]) -> [UInt8]? {
    unit.withUnsafeBytes { unit in
      var bits = BitReader(withoutEmulationPrevention: unit.part(from: 2))
      guard bits.read(4) != nil, let layers = bits.read(3), layers <= 6, let isNested = bits.read(1) else { return nil }
      var record: [UInt8] = [1]
      // The general profile, its constraints and its level.
      for _ in 0..<12 {
        guard let byte = bits.read(8) else { return nil }
        record.append(UInt8(byte))
      }
      guard skipSubLayers(&bits, Int(layers)), bits.unsigned() != nil, let chroma = bits.unsigned(), chroma <= 3,
        chroma < 3 || bits.read(1) != nil, let width = bits.unsigned(), let height = bits.unsigned(), width > 0, height > 0,
        let isCropped = bits.read(1)
      else { return nil }
      for _ in 0..<(isCropped == 1 ? 4 : 0) {
        guard bits.unsigned() != nil else { return nil }
      }
      guard let luma = bits.unsigned(), let chromaDepth = bits.unsigned(), luma <= 7, chromaDepth <= 7 else { return nil }
      // No statement about segments, parallelism and frame rate; lengths of 4 bytes.
      record += [0xf0, 0, 0xfc, 0xfc | UInt8(chroma), 0xf8 | UInt8(luma), 0xf8 | UInt8(chromaDepth), 0, 0]
      record.append(UInt8(layers + 1) << 3 | UInt8(isNested) << 2 | 3)
      return record
    }
  }

  /// Skips the profiles and levels of temporal sub-layers, §7.3.3.
  private static func skipSubLayers(_ bits: inout BitReader, _ count: Int) -> Bool {
    var lengths: [Int] = []
    for _ in 0..<count {
      guard let hasProfile = bits.read(1), let hasLevel = bits.read(1) else { return false }
      lengths.append((hasProfile == 1 ? 88 : 0) + (hasLevel == 1 ? 8 : 0))
    }
    if count > 0, bits.read(2 * (8 - count)) == nil { return false }
    for length in lengths {
      for _ in 0..<(length / 8) {
        guard bits.read(8) != nil else { return false }
      }
    }
    return true
  }
}

extension [UInt8] {
  /// Appends a NAL unit behind its length of 4 bytes.
  mutating func append(unit: ArraySlice<UInt8>) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
    append(contentsOf: unit)
  }
}
