import RoomDigests

/// AES-128-GCM of one direction, with a key schedule that is made once. No call allocates.
///
/// The nonce is the salt XORed with the kind of a datagram in its first byte, and with the datagram's number in its last six. The
/// owner never seals two bodies under one kind and number.
final class LinkCipher {
  static let tagBytes = 16

  private let gcm: GCMCipher
  /// The salt as big-endian values.
  private let salt: (UInt32, UInt32, UInt32)

  /// Creates a cipher; returns nil if libcrypto fails.
  init?(_ keys: DirectionKeys, opening: Bool) {
    guard keys.salt.count == 12, let gcm = GCMCipher(key: keys.key, opening: opening) else { return nil }
    self.gcm = gcm
    salt = keys.salt.withUnsafeBytes { bytes in
      func value(_ at: Int) -> UInt32 { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
      return (value(0), value(4), value(8))
    }
  }

  deinit { gcm.deallocate() }

  /// Encrypts `plain` into `sealed` and writes the tag behind it. Returns false if libcrypto fails.
  /// - Parameter clear: authenticated, and sent as it is.
  func seal(
    _ plain: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer, kind: UInt8, number: UInt64,
    into sealed: UnsafeMutableRawPointer
  ) -> Bool {
    guard let base = plain.baseAddress, let header = clear.baseAddress else { return false }
    return gcm.seal(
      clear: header, clear.count, base, into: sealed, count: plain.count, iv: nonce(kind, number), tag: sealed + plain.count)
  }

  /// Decrypts `sealed` into `plain` and checks the tag behind it. Returns false if the datagram is not authentic.
  /// - Parameter sealed: without the tag.
  func open(
    _ sealed: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer, kind: UInt8, number: UInt64,
    into plain: UnsafeMutableRawPointer
  ) -> Bool {
    guard let base = sealed.baseAddress, let header = clear.baseAddress else { return false }
    return gcm.open(
      clear: header, clear.count, base, into: plain, count: sealed.count, iv: nonce(kind, number), tag: base + sealed.count)
  }

  private func nonce(_ kind: UInt8, _ number: UInt64) -> (UInt32, UInt32, UInt32) {
    (
      salt.0 ^ UInt32(kind) << 24, salt.1 ^ UInt32(truncatingIfNeeded: number >> 32),
      salt.2 ^ UInt32(truncatingIfNeeded: number)
    )
  }
}
