import RoomRTP

/// Converts H.264 access units from Annex B, as used by RTP and encoders, to the length-prefixed form of FLV and MP4 (ISO/IEC
/// 14496-15 §5.3), and back.
public enum AVCAccessUnit {
  /// A length-prefixed access unit, and the other NAL units that it contained.
  public struct WithLengths: Hashable, Sendable {
    /// Each NAL unit behind its 4-byte length, without parameter sets and delimiters.
    public var data: [UInt8]
    /// The parameter sets that it contained; they belong in the sequence header.
    public var sequenceParameters: [[UInt8]] = []
    public var pictureParameters: [[UInt8]] = []
    /// Whether it has an IDR slice.
    public var isKeyFrame = false

    /// Inserts the parameter sets before the slices, behind `header` bytes at the front of the data. Some players read a
    /// sequence header only once, such as VLC and libavformat's HLS demuxer. Such players detect a change of size by the sets
    /// in the key frame.
    public mutating func insert(_ configuration: AVCConfiguration, behind header: Int) {
      guard let sets = configuration.parameterSetUnits, (0...data.count).contains(header) else { return }
      data.insert(contentsOf: sets, at: header)
    }
  }

  /// Converts an access unit with start codes to a length-prefixed one; `header` is prepended to its data.
  public static func withLengths(annexB bytes: UnsafeRawBufferPointer, behind header: [UInt8] = []) -> WithLengths {
    var unit = WithLengths(data: header)
    unit.data.makeRoom(for: bytes.count + 16)
    for range in AnnexB(bytes) {
      let nal = bytes.part(range.lowerBound, range.count)
      switch nal[0] & 0x1f {
      case 7: unit.sequenceParameters.append(Array(nal))
      case 8: unit.pictureParameters.append(Array(nal))
      case 9: break
      case let type:
        if type == 5 { unit.isKeyFrame = true }
        unit.data.append32(UInt32(truncatingIfNeeded: nal.count))
        unit.data.append(contentsOf: nal)
      }
    }
    return unit
  }

  /// Returns whether the access unit has a sequence parameter set before its first slice.
  public static func carriesParameterSets(withLengths bytes: UnsafeRawBufferPointer, lengthSize: Int) -> Bool {
    guard (1...4).contains(lengthSize) else { return false }
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let prefix = reader.bytes(lengthSize), let unit = reader.bytes(prefix.reduce(0) { $0 << 8 | Int($1) }) else {
        return false
      }
      switch unit.first.map({ $0 & 0x1f }) {
      case 7: return true
      case 1, 2, 3, 4, 5: return false
      default: continue
      }
    }
    return false
  }

  /// Converts a length-prefixed access unit to one with start codes. Returns nil if a length extends beyond the end. With
  /// `configuration`, its parameter sets come first, as a decoder needs them before a key frame.
  public static func annexB(
    withLengths bytes: UnsafeRawBufferPointer, lengthSize: Int = 4, configuration: AVCConfiguration? = nil
  ) -> [UInt8]? {
    guard (1...4).contains(lengthSize) else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 64)
    for set in (configuration?.sequenceParameters ?? []) + (configuration?.pictureParameters ?? []) {
      output += [0, 0, 0, 1] + set
    }
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let prefix = reader.bytes(lengthSize) else { return nil }
      let length = prefix.reduce(0) { $0 << 8 | Int($1) }
      guard let unit = reader.bytes(length) else { return nil }
      guard !unit.isEmpty else { continue }
      output += [0, 0, 0, 1]
      output.append(contentsOf: unit)
    }
    return output
  }
}
