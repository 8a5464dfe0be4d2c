/// Reads an AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1) that begins at any bit. The fields of the record determine its end.
struct AACConfigurationReader {
  /// A record whose end is known.
  struct Record: Equatable {
    /// The record, padded to a whole byte.
    var bytes: [UInt8]
    /// Samples per second of the core in Hz.
    var sampleRate: Int
  }

  enum Result: Equatable {
    case record(Record)
    case malformed
    /// A valid record that is not in the accepted subset; with its name, for people.
    case refused(String)
  }

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
  ]
  /// The largest record in bits.
  private static let longest = 64 * 8

  /// Reads the record, and moves the cursor behind it.
  /// - Parameter length: the record's length in bits if the transport states it; it may include extensions at the end.
  static func read(_ bits: inout BitCursor, length: Int?) -> Result {
    var parsed = bits
    let start = bits.position
    guard let type = objectType(&parsed), let rate = rate(&parsed), let channels = parsed.read(4) else { return .malformed }
    var core = type
    if type == 5 || type == 29 {
      guard Self.rate(&parsed) != nil, let inner = objectType(&parsed) else { return .malformed }
      core = inner
    }
    guard (1...4).contains(core) else { return .refused("AAC with object type \(core)") }
    guard channels != 0 else { return .refused("AAC with a program config element") }
    // GASpecificConfig, §4.4.1.
    guard let isShort = parsed.read(1), let dependsOnCore = parsed.read(1) else { return .malformed }
    guard isShort == 0 else { return .refused("AAC with frames of 960 samples") }
    guard dependsOnCore == 0 || parsed.skip(14), let isExtended = parsed.read(1), isExtended == 0 || parsed.skip(1) else {
      return .malformed
    }
    let count = length ?? parsed.position - start
    guard count >= parsed.position - start, count <= longest, let bytes = bits.copy(bits: count) else { return .malformed }
    return .record(Record(bytes: bytes, sampleRate: rate))
  }

  private static func objectType(_ bits: inout BitCursor) -> Int? {
    guard let type = bits.read(5) else { return nil }
    return type == 31 ? bits.read(6).map { 32 + $0 } : type
  }

  private static func rate(_ bits: inout BitCursor) -> Int? {
    guard let index = bits.read(4) else { return nil }
    if index == 15 { return bits.read(24).flatMap { (7350...96_000).contains($0) ? $0 : nil } }
    return rates.indices.contains(index) ? rates[index] : nil
  }
}
