/// The header of a frame of MPEG audio: ISO/IEC 11172-3 §2.4.1.3 and ISO/IEC 13818-3, with the half rates of MPEG-2.5.
struct MPEGAudioHeader {
  static let length = 4

  /// 1…3.
  var layer: Int
  /// Samples per second in Hz.
  var sampleRate: Int
  var channels: Int
  /// The length of header and frame in bytes.
  var frameLength: Int
  /// Samples per channel in the frame.
  var samples: Int

  /// Bitrates in kbit/s of MPEG-1 by layer, and of MPEG-2 for layer I and for the others (table in §2.4.2.3).
  private static let rates = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]

  /// Parses a header at the front of the bytes. Returns nil if there is none, or for a frame of free format.
  init?(_ bytes: ArraySlice<UInt8>) {
    let at = bytes.startIndex
    guard bytes.count >= Self.length, bytes[at] == 0xff, bytes[at + 1] & 0xe0 == 0xe0 else { return nil }
    let version = bytes[at + 1] >> 3 & 3
    let layerBits = Int(bytes[at + 1] >> 1 & 3)
    let (rateIndex, frequency) = (Int(bytes[at + 2] >> 4), Int(bytes[at + 2] >> 2 & 3))
    guard version != 1, layerBits != 0, (1...14).contains(rateIndex), frequency < 3 else { return nil }
    layer = 4 - layerBits
    let isFirst = version == 3
    sampleRate = [44_100, 48_000, 32_000][frequency] / (isFirst ? 1 : version == 2 ? 2 : 4)
    channels = bytes[at + 3] >> 6 == 3 ? 1 : 2
    let bitrate = Self.rates[isFirst ? layer - 1 : layer == 1 ? 3 : 4][rateIndex] * 1000
    let padding = Int(bytes[at + 2] >> 1 & 1)
    switch layer {
    case 1: (samples, frameLength) = (384, (12 * bitrate / sampleRate + padding) * 4)
    case 3 where !isFirst: (samples, frameLength) = (576, 72 * bitrate / sampleRate + padding)
    default: (samples, frameLength) = (1152, 144 * bitrate / sampleRate + padding)
    }
    guard frameLength > Self.length else { return nil }
  }
}
