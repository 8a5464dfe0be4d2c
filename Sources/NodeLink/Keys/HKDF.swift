import RoomDigests

/// HKDF with SHA-256 (RFC 5869).
enum HKDF {
  /// Returns the pseudorandom key of a secret (§2.2); empty if the system's policy forbids the algorithm.
  static func extract(salt: [UInt8], secret: [UInt8]) -> [UInt8] { Digest.sha256.hmac(of: secret, key: salt) }

  /// Returns `count` bytes for a purpose (§2.3); empty if the system's policy forbids the algorithm.
  /// - Parameter count: at most 8,160.
  static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    var output: [UInt8] = []
    var block: [UInt8] = []
    var counter: UInt8 = 1
    while output.count < count, counter != 0 {
      block = Digest.sha256.hmac(of: block + info + [counter], key: key)
      guard !block.isEmpty else { return [] }
      output += block
      counter &+= 1
    }
    return Array(output.prefix(count))
  }
}
