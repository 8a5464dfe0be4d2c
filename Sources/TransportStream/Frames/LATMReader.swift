/// Reads AAC in LATM with the synchronisation layer LOAS, ISO/IEC 14496-3 §1.7: AudioSyncStream with AudioMuxElement.
///
/// The common subset is accepted: one program with one layer, frames of stated lengths (frameLengthType 0) that share their timing.
struct LATMReader {
  /// The header's length in bytes: a syncword of 11 bits, and the element's length.
  static let headerLength = 3

  enum Element: Equatable {
    /// Raw AAC frames. The frames are unreadable, and left out, until a configuration has arrived.
    case frames([[UInt8]])
    case malformed
    /// An element that is not in the accepted subset; with its name, for people.
    case refused(String)
  }

  /// The fields of StreamMuxConfig that the payload needs.
  private struct Configuration: Equatable {
    var record: AACConfigurationReader.Record
    var frames: Int
    var otherBits: Int
  }

  private var configuration: Configuration?

  /// The AudioSpecificConfig of the stream; nil before the first.
  var record: AACConfigurationReader.Record? { configuration?.record }

  /// Returns the length of an element with its header in bytes; nil if none begins here.
  static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
    let at = bytes.startIndex
    guard bytes.count >= headerLength, bytes[at] == 0x56, bytes[at + 1] & 0xe0 == 0xe0 else { return nil }
    return headerLength + (Int(bytes[at + 1] & 0x1f) << 8 | Int(bytes[at + 2]))
  }

  /// Reads an AudioMuxElement, behind its header.
  mutating func read(_ bytes: ArraySlice<UInt8>) -> Element {
    var bits = BitCursor(bytes)
    guard let isSame = bits.read(1) else { return .malformed }
    if isSame == 0 {
      switch Self.configuration(&bits) {
      case .success(let new): configuration = new
      case .failure(.malformed): return .malformed
      case .failure(.refused(let name)): return .refused(name)
      }
    }
    guard let configuration else { return .frames([]) }
    var frames: [[UInt8]] = []
    for _ in 0..<configuration.frames {
      // PayloadLengthInfo, table 1.44.
      var length = 0
      repeat {
        guard let more = bits.read(8) else { return .malformed }
        length += more
        if more < 255 { break }
      } while true
      guard let frame = bits.copy(bits: length * 8) else { return .malformed }
      if !frame.isEmpty { frames.append(frame) }
    }
    return bits.skip(configuration.otherBits) ? .frames(frames) : .malformed
  }

  private enum Fault: Error {
    case malformed
    case refused(String)
  }

  /// Reads a StreamMuxConfig, table 1.42.
  private static func configuration(_ bits: inout BitCursor) -> Swift.Result<Configuration, Fault> {
    guard let version = bits.read(1) else { return .failure(.malformed) }
    if version == 1 {
      guard let versionA = bits.read(1) else { return .failure(.malformed) }
      guard versionA == 0 else { return .failure(.refused("AAC with a reserved version of LATM")) }
      // taraBufferFullness
      guard value(&bits) != nil else { return .failure(.malformed) }
    }
    guard let isOneTiming = bits.read(1), let frames = bits.read(6), let programs = bits.read(4), let layers = bits.read(3)
    else { return .failure(.malformed) }
    guard programs == 0, layers == 0 else { return .failure(.refused("AAC with several programs or layers in LATM")) }
    guard isOneTiming == 1 else { return .failure(.refused("AAC with several timings in LATM")) }
    var length: Int?
    if version == 1 {
      length = value(&bits)
      guard length != nil else { return .failure(.malformed) }
    }
    let record: AACConfigurationReader.Record
    switch AACConfigurationReader.read(&bits, length: length) {
    case .record(let read): record = read
    case .malformed: return .failure(.malformed)
    case .refused(let name): return .failure(.refused("\(name) in LATM"))
    }
    guard let lengthType = bits.read(3) else { return .failure(.malformed) }
    guard lengthType == 0 else { return .failure(.refused("AAC with frame length type \(lengthType) in LATM")) }
    // latmBufferFullness
    guard bits.skip(8), let otherBits = otherBits(&bits, version), let hasSum = bits.read(1), hasSum == 0 || bits.skip(8)
    else { return .failure(.malformed) }
    return .success(Configuration(record: record, frames: frames + 1, otherBits: otherBits))
  }

  /// Reads the length of the data behind the frames in bits.
  private static func otherBits(_ bits: inout BitCursor, _ version: Int) -> Int? {
    guard let isPresent = bits.read(1) else { return nil }
    guard isPresent == 1 else { return 0 }
    guard version == 0 else { return value(&bits) }
    var length = 0
    while true {
      guard let hasMore = bits.read(1), let part = bits.read(8), length < 1 << 16 else { return nil }
      length = length << 8 | part
      if hasMore == 0 { return length }
    }
  }

  /// Reads a LatmGetValue, table 1.43.
  private static func value(_ bits: inout BitCursor) -> Int? {
    guard let count = bits.read(2) else { return nil }
    return bits.read(8 * (count + 1))
  }
}
