import RoomCodecs

extension FragmentedMP4.Track {
  /// The codec with its profile and level, as in `CODECS` of a multivariant playlist (RFC 6381). Nil if the decoder
  /// configuration is too short.
  var codecName: String? {
    let bytes = configuration
    switch codec {
    case .h264:
      guard bytes.count >= 4 else { return nil }
      return "avc1." + bytes[1...3].map { Self.hexadecimal($0, width: 2) }.joined()
    case .hevc:
      // ISO/IEC 14496-15 §8.3.3.1 and annex E.3.
      guard bytes.count >= 13 else { return nil }
      let compatibility = bytes[2...5].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(Self.mirrored($1)) }
      let constraints = bytes[6...11].reversed().drop { $0 == 0 }.reversed().map { "." + Self.hexadecimal($0, width: 1) }
      return "hvc1." + ["", "A", "B", "C"][Int(bytes[1] >> 6)] + "\(bytes[1] & 0x1f).\(String(compatibility, radix: 16))."
        + (bytes[1] & 0x20 == 0 ? "L" : "H") + "\(bytes[12])" + constraints.joined()
    case .av1:
      guard bytes.count >= 3 else { return nil }
      let depth = bytes[2] & 0x40 == 0 ? "08" : bytes[2] & 0x20 == 0 ? "10" : "12"
      let level = bytes[1] & 0x1f
      return "av01.\(bytes[1] >> 5).\(level < 10 ? "0" : "")\(level)\(bytes[2] & 0x80 == 0 ? "M" : "H").\(depth)"
    case .aac:
      guard bytes.count >= 2 else { return nil }
      let type = Int(bytes[0] >> 3)
      return "mp4a.40.\(type == 31 ? 32 + Int(bytes[0] & 7) << 3 + Int(bytes[1] >> 5) : type)"
    case .vp8, .vp9:
      // VP Codec ISO Media File Format Binding, "Codecs Parameter String".
      guard bytes.count >= 7 else { return nil }
      return (codec == .vp8 ? "vp08." : "vp09.")
        + [Int(bytes[4]), vpxLevel, Int(bytes[6] >> 4)].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ".")
    case .opus: return "Opus"
    }
  }

  /// The level of VP9, times ten, that permits the size of the pictures (VP9 levels, "max luma picture size").
  private var vpxLevel: Int {
    let levels = [
      (36_864, 10), (73_728, 11), (122_880, 20), (245_760, 21), (552_960, 30), (983_040, 31), (2_228_224, 40), (8_912_896, 50),
    ]
    return levels.first { width * height <= $0.0 }?.1 ?? 60
  }

  private static func hexadecimal(_ byte: UInt8, width: Int) -> String {
    let text = String(byte, radix: 16)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  private static func mirrored(_ byte: UInt8) -> UInt8 {
    (0..<8).reduce(UInt8(0)) { $0 | (byte >> $1 & 1) << (7 - $1) }
  }
}
