import RoomCOpenSSL

/// The AES context of one direction and one protocol (SRTP or SRTCP), with its key schedule and salt (RFC 3711 §4.1, RFC 7714).
final class SRTPCipher {
  let profile: SRTPProfile
  /// The HMAC; nil for GCM, which includes authentication.
  let authentication: HMACSHA1?
  private let context: OpaquePointer
  /// The session salt as big-endian words: 96 bits (GCM), or 112 bits and 16 zero bits (CM).
  let salt: (UInt32, UInt32, UInt32, UInt32)
  /// The 16 bytes of the IV.
  private let iv: UnsafeMutableRawPointer

  /// Creates a cipher. Returns nil if the master has the wrong length or libcrypto fails. `opening` selects the direction of
  /// GCM.
  init?(profile: SRTPProfile, master: [UInt8], keys labels: SRTPKeyDerivation.Labels, opening: Bool = false) {
    guard master.count == SRTPProfile.masterKeyLength + profile.masterSaltLength,
      let key = SRTPKeyDerivation.derive(labels.encryption, count: 16, master: master),
      let sessionSalt = SRTPKeyDerivation.derive(labels.salt, count: profile.masterSaltLength, master: master),
      let authenticationKey = SRTPKeyDerivation.derive(labels.authentication, count: 20, master: master),
      let context = EVP_CIPHER_CTX_new()
    else { return nil }
    let kind = profile == .aeadAES128GCM ? EVP_aes_128_gcm() : EVP_aes_128_ctr()
    guard EVP_CipherInit_ex(context, kind, nil, key, nil, opening ? 0 : 1) == 1 else {
      EVP_CIPHER_CTX_free(context)
      return nil
    }
    self.profile = profile
    self.context = context
    authentication = profile == .aeadAES128GCM ? nil : HMACSHA1(key: authenticationKey)
    let padded = sessionSalt + [UInt8](repeating: 0, count: 16 - sessionSalt.count)
    salt = padded.withUnsafeBytes {
      ($0.bigEndian32(at: 0), $0.bigEndian32(at: 4), $0.bigEndian32(at: 8), $0.bigEndian32(at: 12))
    }
    iv = .allocate(byteCount: 16, alignment: 16)
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
    authentication?.deallocate()
    iv.deallocate()
  }

  /// Starts a packet with this IV in big-endian words; GCM reads the first three.
  @inline(__always) func begin(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> Bool {
    iv.storeBytes(of: a.bigEndian, toByteOffset: 0, as: UInt32.self)
    iv.storeBytes(of: b.bigEndian, toByteOffset: 4, as: UInt32.self)
    iv.storeBytes(of: c.bigEndian, toByteOffset: 8, as: UInt32.self)
    iv.storeBytes(of: d.bigEndian, toByteOffset: 12, as: UInt32.self)
    return EVP_CipherInit_ex(context, nil, nil, nil, iv.assumingMemoryBound(to: UInt8.self), -1) == 1
  }

  /// GCM: adds data that is authenticated but not encrypted.
  @inline(__always) func add(clear: UnsafeRawPointer, count: Int) -> Bool {
    var written: Int32 = 0
    return EVP_CipherUpdate(
      context, nil, &written, clear.assumingMemoryBound(to: UInt8.self), Int32(truncatingIfNeeded: count)) == 1
  }

  /// Encrypts, or decrypts if the cipher was created for opening.
  @inline(__always) func crypt(_ source: UnsafeRawPointer, into: UnsafeMutableRawPointer, count: Int) -> Bool {
    var written: Int32 = 0
    return EVP_CipherUpdate(
      context, into.assumingMemoryBound(to: UInt8.self), &written, source.assumingMemoryBound(to: UInt8.self),
      Int32(truncatingIfNeeded: count)) == 1
  }

  /// GCM: ends the packet and writes the 16 bytes of the tag.
  @inline(__always) func writeTag(to tag: UnsafeMutableRawPointer) -> Bool {
    var written: Int32 = 0
    return EVP_EncryptFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
  }

  /// GCM: ends the packet and returns whether these 16 bytes are its tag.
  @inline(__always) func checkTag(_ tag: UnsafeMutableRawPointer) -> Bool {
    var written: Int32 = 0
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
      && EVP_CipherFinal_ex(context, iv.assumingMemoryBound(to: UInt8.self), &written) == 1
  }
}
