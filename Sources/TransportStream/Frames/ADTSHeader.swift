import RoomRTMP

/// The header of an AAC frame in a transport stream, ISO/IEC 13818-7 §6.2.
struct ADTSHeader {
  var configuration: AudioSpecificConfig
  /// The length of the header in bytes: 7, or 9 with a CRC.
  var length: Int
  /// The length of header and frame in bytes.
  var frameLength: Int
  /// The number of AAC frames behind the header. More than 1 is valid and unusual.
  var blocks: Int

  /// Parses a header at the front of the bytes. Returns nil if there is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 7 else { return nil }
    let at = bytes.startIndex
    guard bytes[at] == 0xff, bytes[at + 1] & 0xf6 == 0xf0,
      let configuration = AudioSpecificConfig(
        objectType: (bytes[at + 2] >> 6) + 1, rateIndex: Int(bytes[at + 2] >> 2 & 0x0f),
        channelConfiguration: (bytes[at + 2] & 0x01) << 2 | bytes[at + 3] >> 6)
    else { return nil }
    self.configuration = configuration
    length = bytes[at + 1] & 0x01 == 0 ? 9 : 7
    frameLength = Int(bytes[at + 3] & 0x03) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5] >> 5)
    blocks = Int(bytes[at + 6] & 0x03) + 1
    guard frameLength > length else { return nil }
  }

  /// Returns the header of a frame; nil if ADTS cannot describe it.
  /// - Parameter count: the frame's length in bytes.
  static func encoded(_ configuration: AudioSpecificConfig, count: Int) -> [UInt8]? {
    let length = count + 7
    guard let rate = configuration.rateIndex, length < 1 << 13, configuration.channelConfiguration < 8 else { return nil }
    // HE-AAC is signalled implicitly, as AAC-LC of its core.
    let profile = (1...4).contains(configuration.objectType) ? configuration.objectType - 1 : 1
    let channels = configuration.channelConfiguration
    return [
      0xff, 0xf1, profile << 6 | UInt8(rate & 0x0f) << 2 | channels >> 2, (channels & 0x03) << 6 | UInt8(length >> 11),
      UInt8(length >> 3 & 0xff), UInt8(length & 0x07) << 5 | 0x1f, 0xfc,
    ]
  }
}
