/// The header of a syncframe of AC-3 or E-AC-3: ETSI TS 102 366 §4.4.1, §4.4.2 and §E.1.2.2.
struct AC3Header {
  static let length = 6

  /// Whether the frame is E-AC-3.
  var isEnhanced: Bool
  /// Samples per second in Hz.
  var sampleRate: Int
  /// The length of the frame in bytes.
  var frameLength: Int
  /// Samples per channel in the frame.
  var samples: Int
  /// Whether the frame adds channels to the one before.
  var isDependent = false
  /// The number of the program that the frame belongs to, 0 for the first.
  var substream = 0

  private static let bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]

  /// Parses a header at the front of the bytes. Returns nil if there is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    let at = bytes.startIndex
    guard bytes.count >= Self.length, bytes[at] == 0x0b, bytes[at + 1] == 0x77 else { return nil }
    let identification = bytes[at + 5] >> 3
    let code = Int(bytes[at + 4] >> 6)
    let rates = [48_000, 44_100, 32_000]
    switch identification {
    case 0...10:
      let size = Int(bytes[at + 4] & 0x3f)
      guard code < 3, size < 2 * Self.bitrates.count else { return nil }
      let bitrate = Self.bitrates[size / 2]
      // Words of 16 bits, table 4.13.
      let words = [bitrate * 2, bitrate * 320 / 147 + size & 1, bitrate * 3][code]
      isEnhanced = false
      sampleRate = rates[code] >> max(0, Int(identification) - 8)
      (frameLength, samples) = (words * 2, 1536)
    case 11...16:
      let type = bytes[at + 2] >> 6
      guard type < 3 else { return nil }
      isEnhanced = true
      isDependent = type == 1
      substream = Int(bytes[at + 2] >> 3 & 7)
      frameLength = ((Int(bytes[at + 2] & 7) << 8 | Int(bytes[at + 3])) + 1) * 2
      let second = Int(bytes[at + 4] >> 4 & 3)
      if code == 3 {
        guard second < 3 else { return nil }
        (sampleRate, samples) = (rates[second] / 2, 1536)
      } else {
        (sampleRate, samples) = (rates[code], [256, 512, 768, 1536][second])
      }
    default: return nil
    }
    guard frameLength > Self.length else { return nil }
  }
}
