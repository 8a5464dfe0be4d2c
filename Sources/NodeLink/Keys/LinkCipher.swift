import RoomCOpenSSL
import RoomRTP

/// AES-128-GCM of one direction, with a key schedule that is made once. No call allocates.
///
/// The nonce is the salt XORed with the kind of a datagram in its first byte, and with the datagram's number in its last six. The
/// owner never seals two bodies under one kind and number.
final class LinkCipher {
  static let tagBytes = 16

  private let context: OpaquePointer
  /// The salt as big-endian values.
  private let salt: (UInt32, UInt32, UInt32)
  private let nonce: UnsafeMutableRawPointer

  /// Creates a cipher; returns nil if libcrypto fails.
  init?(_ keys: DirectionKeys, opening: Bool) {
    guard keys.key.count == 16, keys.salt.count == 12, let context = EVP_CIPHER_CTX_new() else { return nil }
    guard EVP_CipherInit_ex(context, EVP_aes_128_gcm(), nil, keys.key, nil, opening ? 0 : 1) == 1 else {
      EVP_CIPHER_CTX_free(context)
      return nil
    }
    self.context = context
    salt = keys.salt.withUnsafeBytes { bytes in
      func value(_ at: Int) -> UInt32 { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
      return (value(0), value(4), value(8))
    }
    // The length of a block: libcrypto writes up to one at the end of an opened datagram.
    nonce = .allocate(byteCount: 16, alignment: 16)
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
    nonce.deallocate()
  }

  /// Encrypts `plain` into `sealed` and writes the tag behind it. Returns false if libcrypto fails.
  /// - Parameter clear: authenticated, and sent as it is.
  func seal(
    _ plain: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer, kind: UInt8, number: UInt64,
    into sealed: UnsafeMutableRawPointer
  ) -> Bool {
    var written: Int32 = 0
    return begin(kind, number) && crypt(clear, into: nil) && crypt(plain, into: sealed)
      && EVP_EncryptFinal_ex(context, nonce.assumingMemoryBound(to: UInt8.self), &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, sealed + plain.count) == 1
  }

  /// Decrypts `sealed` into `plain` and checks the tag behind it. Returns false if the datagram is not authentic.
  /// - Parameter sealed: without the tag.
  func open(
    _ sealed: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer, kind: UInt8, number: UInt64,
    into plain: UnsafeMutableRawPointer
  ) -> Bool {
    guard let base = sealed.baseAddress else { return false }
    var written: Int32 = 0
    let tag = UnsafeMutableRawPointer(mutating: base + sealed.count)
    return begin(kind, number) && crypt(clear, into: nil) && crypt(sealed, into: plain)
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
      && EVP_CipherFinal_ex(context, nonce.assumingMemoryBound(to: UInt8.self), &written) == 1
  }

  private func begin(_ kind: UInt8, _ number: UInt64) -> Bool {
    nonce.store32(salt.0 ^ UInt32(kind) << 24, 0)
    nonce.store32(salt.1 ^ UInt32(truncatingIfNeeded: number >> 32), 4)
    nonce.store32(salt.2 ^ UInt32(truncatingIfNeeded: number), 8)
    return EVP_CipherInit_ex(context, nil, nil, nil, nonce.assumingMemoryBound(to: UInt8.self), -1) == 1
  }

  private func crypt(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer?) -> Bool {
    var written: Int32 = 0
    return EVP_CipherUpdate(
      context, target?.assumingMemoryBound(to: UInt8.self), &written, source.baseAddress?.assumingMemoryBound(to: UInt8.self),
      Int32(truncatingIfNeeded: source.count)) == 1
  }
}
