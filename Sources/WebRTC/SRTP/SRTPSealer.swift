import COpenSSL

/// Seals RTP packets of one transport out of place, with libcrypto and a key schedule that is kept (RFC 3711, RFC 7714).
///
/// - One per subscriber's transport; all its SSRCs share it. Not thread-safe: one owning thread.
/// - Keeps no packet state: the caller owns each SSRC's 48-bit index and never seals two plaintexts under one of them.
/// - Allocates nothing per packet. The bytes equal libsrtp2's.
public final class SRTPSealer {
  public let profile: SRTPProfile
  /// Bytes that `seal` adds to header and payload.
  public let overhead: Int

  private let cipher: OpaquePointer
  /// The session salt as big-endian words: 96 bits (GCM) or 112 bits and 16 zero bits (CM).
  private let salt: (UInt32, UInt32, UInt32, UInt32)
  /// SHA-1 after the key's inner and outer block: each packet starts from copies (HMAC, RFC 2104 §4).
  private let inner: UnsafeMutablePointer<SHA_CTX>
  private let outer: UnsafeMutablePointer<SHA_CTX>
  private let hash: UnsafeMutablePointer<SHA_CTX>
  /// 16 bytes of IV, then 20 of digest.
  private let scratch: UnsafeMutableRawPointer

  /// `master` is key and salt, as the DTLS exporter gives them: 28 bytes for GCM, 30 for CM. Nil for another length, or where
  /// libcrypto fails.
  public init?(profile: SRTPProfile, master: [UInt8]) {
    guard master.count == SRTPProfile.masterKeyLength + profile.masterSaltLength,
      let key = SRTPKeyDerivation.derive(.encryption, count: 16, master: master),
      let sessionSalt = SRTPKeyDerivation.derive(.salt, count: profile.masterSaltLength, master: master),
      let authentication = SRTPKeyDerivation.derive(.authentication, count: 20, master: master),
      let cipher = EVP_CIPHER_CTX_new()
    else { return nil }
    let kind = profile == .aeadAES128GCM ? EVP_aes_128_gcm() : EVP_aes_128_ctr()
    guard EVP_EncryptInit_ex(cipher, kind, nil, key, nil) == 1 else {
      EVP_CIPHER_CTX_free(cipher)
      return nil
    }
    self.profile = profile
    self.cipher = cipher
    overhead = profile.rtpOverhead
    let padded = sessionSalt + [UInt8](repeating: 0, count: 16 - sessionSalt.count)
    salt = padded.withUnsafeBytes {
      ($0.bigEndian32(at: 0), $0.bigEndian32(at: 4), $0.bigEndian32(at: 8), $0.bigEndian32(at: 12))
    }
    inner = Self.hashState(key: authentication, pad: 0x36)
    outer = Self.hashState(key: authentication, pad: 0x5C)
    hash = .allocate(capacity: 1)
    hash.initialize(to: SHA_CTX())
    scratch = .allocate(byteCount: 48, alignment: 16)
  }

  deinit {
    EVP_CIPHER_CTX_free(cipher)
    for state in [inner, outer, hash] {
      // Keys do not stay behind in freed memory.
      OPENSSL_cleanse(state, MemoryLayout<SHA_CTX>.size)
      state.deallocate()
    }
    scratch.deallocate()
  }

  /// Writes header, ciphertext and tag to `into` and gives their length; 0 where libcrypto fails.
  ///
  /// - `header`: all that is sent in the clear: fixed header, CSRCs and extension. At least 12 bytes.
  /// - `index`: ROC << 16 | sequence number; its low 16 bits and `ssrc` are those of the header.
  /// - `into`: room for `headerLength + payloadLength + overhead` bytes. `header` and `payload` may lie in place already;
  ///   they may not overlap it otherwise.
  public func seal(
    header: UnsafeRawPointer, headerLength: Int, payload: UnsafeRawPointer, payloadLength: Int, index: UInt64, ssrc: UInt32,
    into: UnsafeMutableRawPointer
  ) -> Int {
    if UnsafeRawPointer(into) != header { into.copyMemory(from: header, byteCount: headerLength) }
    let body = (into + headerLength).assumingMemoryBound(to: UInt8.self)
    let source = payload.assumingMemoryBound(to: UInt8.self)
    let sealed =
      profile == .aeadAES128GCM
      ? sealGCM(
        into: into, headerLength: headerLength, body: body, source: source, count: payloadLength, index: index, ssrc: ssrc)
      : sealCM(
        into: into, headerLength: headerLength, body: body, source: source, count: payloadLength, index: index, ssrc: ssrc)
    return sealed ? headerLength &+ payloadLength &+ overhead : 0
  }

  private func sealGCM(
    into: UnsafeMutableRawPointer, headerLength: Int, body: UnsafeMutablePointer<UInt8>, source: UnsafePointer<UInt8>,
    count: Int,
    index: UInt64, ssrc: UInt32
  ) -> Bool {
    // RFC 7714 §8.1: 16 zero bits, SSRC, ROC, sequence number, XORed with the salt.
    let roc = UInt32(truncatingIfNeeded: index >> 16)
    let sequence = UInt32(truncatingIfNeeded: index & 0xFFFF)
    setIV(salt.0 ^ ssrc >> 16, salt.1 ^ (ssrc << 16 | roc >> 16), salt.2 ^ (roc << 16 | sequence), 0)
    let iv = scratch.assumingMemoryBound(to: UInt8.self)
    var written: Int32 = 0
    return EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
      && EVP_EncryptUpdate(
        cipher, nil, &written, into.assumingMemoryBound(to: UInt8.self), Int32(truncatingIfNeeded: headerLength)) == 1
      && EVP_EncryptUpdate(cipher, body, &written, source, Int32(truncatingIfNeeded: count)) == 1
      && EVP_EncryptFinal_ex(cipher, body + count, &written) == 1
      && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, body + count) == 1
  }

  private func sealCM(
    into: UnsafeMutableRawPointer, headerLength: Int, body: UnsafeMutablePointer<UInt8>, source: UnsafePointer<UInt8>,
    count: Int,
    index: UInt64, ssrc: UInt32
  ) -> Bool {
    // RFC 3711 §4.1.1: salt·2^16 ⊕ SSRC·2^64 ⊕ index·2^16.
    setIV(
      salt.0, salt.1 ^ ssrc, salt.2 ^ UInt32(truncatingIfNeeded: index >> 16),
      salt.3 ^ UInt32(truncatingIfNeeded: index) << 16)
    let iv = scratch.assumingMemoryBound(to: UInt8.self)
    var written: Int32 = 0
    guard EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1,
      EVP_EncryptUpdate(cipher, body, &written, source, Int32(truncatingIfNeeded: count)) == 1
    else { return false }
    // RFC 3711 §4.2: HMAC-SHA1 over packet and ROC, cut to 80 bits.
    let roc = scratch + 40
    roc.storeBytes(of: UInt32(truncatingIfNeeded: index >> 16).bigEndian, as: UInt32.self)
    let digest = (scratch + 16).assumingMemoryBound(to: UInt8.self)
    hash.pointee = inner.pointee
    openssl_sha1_update(hash, into, headerLength &+ count)
    openssl_sha1_update(hash, roc, 4)
    openssl_sha1_final(hash, digest)
    hash.pointee = outer.pointee
    openssl_sha1_update(hash, digest, 20)
    openssl_sha1_final(hash, digest)
    UnsafeMutableRawPointer(body + count).copyMemory(from: digest, byteCount: 10)
    return true
  }

  @inline(__always) private func setIV(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) {
    scratch.storeBytes(of: a.bigEndian, toByteOffset: 0, as: UInt32.self)
    scratch.storeBytes(of: b.bigEndian, toByteOffset: 4, as: UInt32.self)
    scratch.storeBytes(of: c.bigEndian, toByteOffset: 8, as: UInt32.self)
    scratch.storeBytes(of: d.bigEndian, toByteOffset: 12, as: UInt32.self)
  }

  private static func hashState(key: [UInt8], pad: UInt8) -> UnsafeMutablePointer<SHA_CTX> {
    let state = UnsafeMutablePointer<SHA_CTX>.allocate(capacity: 1)
    state.initialize(to: SHA_CTX())
    let block = key.map { $0 ^ pad } + [UInt8](repeating: pad, count: 64 - key.count)
    openssl_sha1_init(state)
    openssl_sha1_update(state, block, block.count)
    return state
  }
}
