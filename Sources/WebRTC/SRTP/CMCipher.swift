import RoomCOpenSSL

/// AES-128 in counter mode by libcrypto, with the HMAC of AES_CM_128_HMAC_SHA1_80 (RFC 3711 §4.1.1).
///
/// Trivial, so that using it costs no reference counting; the owner frees it with `deallocate`.
struct CMCipher: BitwiseCopyable {
  let authentication: HMACSHA1
  private let context: OpaquePointer
  /// The 16 bytes of the IV.
  private let iv: UnsafeMutableRawPointer

  /// Creates a cipher. Returns nil if libcrypto fails.
  init?(key: [UInt8], authenticationKey: [UInt8]) {
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    guard EVP_CipherInit_ex(context, EVP_aes_128_ctr(), nil, key, nil, 1) == 1 else {
      EVP_CIPHER_CTX_free(context)
      return nil
    }
    self.context = context
    authentication = HMACSHA1(key: authenticationKey)
    iv = .allocate(byteCount: 16, alignment: 16)
  }

  func deallocate() {
    EVP_CIPHER_CTX_free(context)
    authentication.deallocate()
    iv.deallocate()
  }

  /// Encrypts or decrypts a packet with this IV in big-endian words. `source` and `into` may be equal.
  @inline(__always) func crypt(
    _ source: UnsafeRawPointer, into: UnsafeMutableRawPointer, count: Int, iv words: (UInt32, UInt32, UInt32, UInt32)
  ) -> Bool {
    iv.storeBytes(of: words.0.bigEndian, toByteOffset: 0, as: UInt32.self)
    iv.storeBytes(of: words.1.bigEndian, toByteOffset: 4, as: UInt32.self)
    iv.storeBytes(of: words.2.bigEndian, toByteOffset: 8, as: UInt32.self)
    iv.storeBytes(of: words.3.bigEndian, toByteOffset: 12, as: UInt32.self)
    var written: Int32 = 0
    return EVP_CipherInit_ex(context, nil, nil, nil, iv.assumingMemoryBound(to: UInt8.self), -1) == 1
      && EVP_CipherUpdate(
        context, into.assumingMemoryBound(to: UInt8.self), &written, source.assumingMemoryBound(to: UInt8.self),
        Int32(truncatingIfNeeded: count)) == 1
  }
}
