import RTP

/// Turns H.264 access units from Annex B, as RTP and encoders have them, to the form with lengths that FLV and MP4 have
/// (ISO/IEC 14496-15 §5.3), and back.
public enum AVCAccessUnit {
  /// An access unit with lengths, and what stood in it beside pictures.
  public struct WithLengths: Hashable, Sendable {
    /// Each NAL unit behind its length of 4 bytes, without parameter sets and delimiters.
    public var data: [UInt8]
    /// The parameter sets that stood in it: they belong to the sequence header.
    public var sequenceParameters: [[UInt8]] = []
    public var pictureParameters: [[UInt8]] = []
    /// Whether it has an IDR slice.
    public var isKeyFrame = false

    /// Puts the parameter sets before the slices, behind `header` bytes at the front of the data. Players that read a sequence header
    /// only once, VLC and libavformat's HLS demuxer among them, follow a change of size by the sets in the key frame.
    public mutating func insert(_ configuration: AVCConfiguration, behind header: Int) {
      guard let sets = configuration.parameterSetUnits, (0...data.count).contains(header) else { return }
      data.insert(contentsOf: sets, at: header)
    }
  }

  /// Turns an access unit with start codes into one with lengths; `header` stands in front of its data.
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

  /// Whether the access unit carries a sequence parameter set before its first slice.
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

  /// Turns an access unit with lengths into one with start codes; nil where a length is beyond the end. With `configuration`,
  /// its parameter sets stand in front, as a decoder wants them before a key frame.
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
