import RoomDigests

/// The two checksums of STUN: HMAC-SHA1 of MESSAGE-INTEGRITY and CRC-32 of FINGERPRINT (RFC 8489 §14.5, §14.7).
enum STUNIntegrity {
  /// Returns the 20 bytes of the HMAC.
  static func hmacSHA1(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Digest.sha1.hmac(of: message, key: key)
  }

  static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }
}
