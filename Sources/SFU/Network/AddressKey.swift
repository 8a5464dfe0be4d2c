import RoomWebRTC

/// The key of the address table.
struct AddressKey: PacketKey {
  var high: UInt64
  var low: UInt64
  /// Port, socket and protocol. 64 bits, so that the key has no padding and a tuple of keys can be read as an array.
  var port: UInt64

  private static let tcp: UInt64 = 1 << 24

  /// Whether this is the remote end of a TCP connection.
  @inline(__always) var isTCP: Bool { port & Self.tcp != 0 }

  @inline(__always) init(_ address: TransportAddress) {
    high = address.high
    low = address.low
    port = UInt64(address.port) | UInt64(address.socket) << 16 | (address.isTCP ? Self.tcp : 0)
  }

  @inline(__always) func mixed(_ seed: UInt64) -> UInt64 {
    mix64(low ^ seed ^ mix64(high &+ port &* 0x9E37_79B9_7F4A_7C15))
  }
}
