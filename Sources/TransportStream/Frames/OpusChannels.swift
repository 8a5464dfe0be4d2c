/// The channels of an Opus stream, as the extension descriptor 0x80 states them ("Encapsulation of Opus in MPEG-TS", ETSI TS draft
/// of opus-codec.org, table 4-1).
struct OpusChannels: Hashable {
  static let stereo = OpusChannels(channels: 2, family: 0, streams: 1, coupled: 1, mapping: [0, 1])

  var channels: UInt8
  /// The mapping family of RFC 7845 §5.1.1: 0 for mono and stereo, 1 for surround in the order of Vorbis, 255 for dual mono.
  var family: UInt8
  var streams: UInt8
  var coupled: UInt8
  var mapping: [UInt8]

  private init(channels: UInt8, family: UInt8, streams: UInt8, coupled: UInt8, mapping: [UInt8]) {
    self.channels = channels
    self.family = family
    self.streams = streams
    self.coupled = coupled
    self.mapping = mapping
  }

  /// Creates the channels of a channel_config_code. Returns nil for a code that is reserved or needs a mapping of its own.
  init?(code: UInt8) {
    let orders: [[UInt8]] = [
      [0, 1], [0], [0, 1], [0, 2, 1], [0, 1, 2, 3], [0, 4, 1, 2, 3], [0, 4, 1, 2, 3, 5], [0, 4, 1, 2, 3, 5, 6],
      [0, 6, 1, 2, 3, 4, 5, 7],
    ]
    let index = Int(code)
    guard orders.indices.contains(index) else { return nil }
    let (streams, coupled): ([UInt8], [UInt8]) = ([1, 1, 1, 2, 2, 3, 4, 4, 5], [1, 0, 1, 1, 2, 2, 2, 3, 3])
    self.init(
      channels: UInt8(orders[index].count), family: code == 0 ? 255 : code > 2 ? 1 : 0, streams: streams[index],
      coupled: coupled[index], mapping: orders[index])
  }

  /// The OpusHead, RFC 7845 §5.1. The header skips no samples, because live viewers join anywhere.
  var head: [UInt8] {
    let head = Array("OpusHead".utf8) + [1, channels, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, family]
    return family == 0 ? head : head + [streams, coupled] + mapping
  }
}
