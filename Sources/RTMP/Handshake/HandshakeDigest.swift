import RoomDigests
import RoomRTP

/// The digest form of the handshake, which Flash Player 9 introduced and ffmpeg still uses. No specification describes it; this
/// is the common behaviour of librtmp, nginx-rtmp and ffmpeg.
///
/// C1 and S1 contain 4 bytes of time, 4 of version and two blocks of 764 bytes, one for a key and one for the digest. The
/// digest is the HMAC-SHA256 of all other bytes, at an offset given by the first four bytes of its block. C2 and S2 end in a
/// digest of their other bytes, keyed with the digest of the packet that they answer.
enum HandshakeDigest {
  static let length = 32
  /// The length of C1, S1, C2 and S2 in bytes (RTMP 1.0 §5.2.3, §5.2.4).
  static let packetLength = 1536

  /// The order of the blocks.
  enum Scheme: Int, CaseIterable, Sendable {
    case keyFirst = 772
    case digestFirst = 8
  }

  /// The sender of a packet, which determines the signing key.
  enum Party: Sendable {
    case client, server

    /// The key that signs C1 or S1.
    var openKey: ArraySlice<UInt8> { key.prefix(self == .client ? 30 : 36) }

    /// The base of the key for the answer: the open part and 32 more bytes.
    var key: [UInt8] {
      Array((self == .client ? "Genuine Adobe Flash Player 001" : "Genuine Adobe Flash Media Server 001").utf8) + Self.secret
    }

    private static let secret: [UInt8] = [
      0xf0, 0xee, 0xc2, 0x4a, 0x80, 0x68, 0xbe, 0xe8, 0x2e, 0x00, 0xd0, 0xd1, 0x02, 0x9e, 0x7e, 0x57,
      0x6e, 0xec, 0x5d, 0x2d, 0x29, 0x80, 0x6f, 0xab, 0x93, 0xb8, 0xe6, 0x36, 0xcf, 0xeb, 0x31, 0xae,
    ]
  }

  static func hmac(_ message: [UInt8], key: some Collection<UInt8>) -> [UInt8] {
    let digest = Digest.sha256.hmac(of: message, key: key)
    // A peer that is refused needs its 32 bytes all the same.
    return digest.isEmpty ? [UInt8](repeating: 0, count: length) : digest
  }

  /// Returns the offset of the digest in the packet of 1536 bytes.
  static func position(in packet: [UInt8], _ scheme: Scheme) -> Int {
    let start = scheme.rawValue
    return start + 4 + packet[start..<(start + 4)].reduce(0) { $0 + Int($1) } % 728
  }

  private static func digest(of packet: [UInt8], without position: Int, key: some Collection<UInt8>) -> [UInt8] {
    hmac(Array(packet[..<position] + packet[(position + length)...]), key: key)
  }

  /// Returns the digest of C1 or S1 and its scheme, if there is a correct one.
  static func find(in packet: [UInt8], from party: Party) -> (digest: [UInt8], scheme: Scheme)? {
    for scheme in Scheme.allCases {
      let position = position(in: packet, scheme)
      let found = packet[position..<(position + length)]
      if found.elementsEqual(digest(of: packet, without: position, key: party.openKey)) { return (Array(found), scheme) }
    }
    return nil
  }

  /// Writes the digest into C1 or S1.
  static func sign(_ packet: inout [UInt8], from party: Party, _ scheme: Scheme) {
    let position = position(in: packet, scheme)
    packet.replaceSubrange(
      position..<(position + length), with: digest(of: packet, without: position, key: party.openKey))
  }

  /// Writes the digest into C2 or S2, the answer to a packet with `digest`.
  static func signAnswer(_ packet: inout [UInt8], from party: Party, to digest: [UInt8]) {
    let end = packetLength - length
    packet.replaceSubrange(end..., with: hmac(Array(packet[..<end]), key: hmac(digest, key: party.key)))
  }

  /// Returns whether C2 or S2 ends in the correct digest.
  static func isAnswer(_ packet: [UInt8], from party: Party, to digest: [UInt8]) -> Bool {
    var expected = packet
    signAnswer(&expected, from: party, to: digest)
    return expected == packet
  }
}

/// Why a handshake failed.
public enum HandshakeError: Error, Hashable, Sendable {
  /// The first byte is not 3: another protocol, or an encrypted form of this one.
  case version(UInt8)
}

/// The bytes of a handshake that have not been answered yet.
struct HandshakeInput: Sendable {
  private var bytes: [UInt8] = []

  /// Consumes `input` until `count` bytes have arrived, and returns them.
  mutating func collect(_ count: Int, from input: inout UnsafeRawBufferPointer) -> [UInt8]? {
    let missing = min(count - bytes.count, input.count)
    bytes += input.prefix(missing)
    input = input.part(from: missing)
    guard bytes.count == count else { return nil }
    defer { bytes = [] }
    return bytes
  }
}

/// Returns 1536 bytes: time, version, and random bytes (RTMP 1.0 §5.2.3).
func handshakePacket(time: UInt32, version: UInt32, using generator: inout some RandomNumberGenerator) -> [UInt8] {
  var packet: [UInt8] = []
  packet.reserveCapacity(HandshakeDigest.packetLength)
  packet.append32(time)
  packet.append32(version)
  while packet.count < HandshakeDigest.packetLength { packet.append64(generator.next()) }
  return packet
}
