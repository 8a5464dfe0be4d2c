import RoomCGCM
import RoomCOpenSSL

/// AES-128-GCM under one key in one direction: by libipsec-mb if this machine has it, else by libcrypto.
///
/// - It allocates nothing for a packet. Not thread-safe: use it on one owning thread.
/// - Trivial, so that using it costs no reference counting; the owner frees it with `deallocate`.
public struct GCMCipher: BitwiseCopyable {
  /// The library that encrypts.
  public enum Library: String, Sendable {
    case ipsecMB = "libipsec-mb"
    case libcrypto

    /// The libraries of this machine, the fastest first.
    public static let available: [Library] = gcm_key_bytes() > 0 ? [.ipsecMB, .libcrypto] : [.libcrypto]
  }

  public static let tagLength = 16
  /// The longest data that is authenticated in two parts, in bytes.
  private static let clearLimit = 16

  /// libipsec-mb's key; nil with libcrypto.
  private let expanded: UnsafeMutableRawPointer?
  /// libcrypto's context; nil with libipsec-mb.
  private let context: OpaquePointer?
  /// The 12 bytes of the IV, then the computed tag, then data to authenticate that lies in two places.
  private let scratch: UnsafeMutablePointer<UInt8>

  /// Creates a cipher for 16 bytes of key. Returns nil if libcrypto fails, or if the machine lacks the library.
  public init?(key: [UInt8], opening: Bool, library: Library = Library.available[0]) {
    guard key.count == 16, Library.available.contains(library) else { return nil }
    switch library {
    case .ipsecMB:
      let memory = UnsafeMutableRawPointer.allocate(byteCount: gcm_key_bytes(), alignment: 64)
      gcm_expand(key, memory)
      (expanded, context) = (memory, nil)
    case .libcrypto:
      guard let made = EVP_CIPHER_CTX_new() else { return nil }
      guard EVP_CipherInit_ex(made, EVP_aes_128_gcm(), nil, key, nil, opening ? 0 : 1) == 1 else {
        EVP_CIPHER_CTX_free(made)
        return nil
      }
      (expanded, context) = (nil, made)
    }
    scratch = .allocate(capacity: 16 + Self.tagLength + Self.clearLimit)
  }

  public func deallocate() {
    EVP_CIPHER_CTX_free(context)
    // A freed key stays in memory that others get.
    if let expanded { OPENSSL_cleanse(expanded, gcm_key_bytes()) }
    expanded?.deallocate()
    scratch.deallocate()
  }

  private var tag: UnsafeMutablePointer<UInt8> { scratch + 16 }

  /// Sets the IV from three big-endian words.
  @inline(__always) private func setIV(_ iv: (UInt32, UInt32, UInt32)) {
    let bytes = UnsafeMutableRawPointer(scratch)
    bytes.storeBytes(of: iv.0.bigEndian, as: UInt32.self)
    bytes.storeBytes(of: iv.1.bigEndian, toByteOffset: 4, as: UInt32.self)
    bytes.storeBytes(of: iv.2.bigEndian, toByteOffset: 8, as: UInt32.self)
  }

  /// Passes the IV, the clear bytes and the others to libcrypto.
  @inline(__always) private func crypt(
    _ clear: UnsafeRawPointer, _ clearCount: Int, _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, count: Int
  ) -> Bool {
    var written: Int32 = 0
    return EVP_CipherInit_ex(context, nil, nil, nil, scratch, -1) == 1
      && EVP_CipherUpdate(
        context, nil, &written, clear.assumingMemoryBound(to: UInt8.self), Int32(truncatingIfNeeded: clearCount)) == 1
      && EVP_CipherUpdate(
        context, target.assumingMemoryBound(to: UInt8.self), &written, source.assumingMemoryBound(to: UInt8.self),
        Int32(truncatingIfNeeded: count)) == 1
  }

  /// Encrypts `count` bytes from one place into another, which may be the same, and writes the tag of these and the clear ones.
  /// `iv` is three big-endian words. Returns false if libcrypto fails.
  public func seal(
    clear: UnsafeRawPointer, _ clearCount: Int, _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, count: Int,
    iv: (UInt32, UInt32, UInt32), tag: UnsafeMutableRawPointer
  ) -> Bool {
    setIV(iv)
    if let expanded {
      gcm_seal(
        expanded, scratch, clear.assumingMemoryBound(to: UInt8.self), clearCount, source.assumingMemoryBound(to: UInt8.self),
        target.assumingMemoryBound(to: UInt8.self), count, tag.assumingMemoryBound(to: UInt8.self))
      return true
    }
    var written: Int32 = 0
    return crypt(clear, clearCount, source, into: target, count: count)
      && EVP_EncryptFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
  }

  /// Decrypts `count` bytes from one place into another, which may be the same. Returns whether `expected` is the tag of these and
  /// the clear ones; if not, the target is scrambled.
  public func open(
    clear: UnsafeRawPointer, _ clearCount: Int, _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, count: Int,
    iv: (UInt32, UInt32, UInt32), tag expected: UnsafeRawPointer
  ) -> Bool {
    setIV(iv)
    if let expanded {
      gcm_open(
        expanded, scratch, clear.assumingMemoryBound(to: UInt8.self), clearCount, source.assumingMemoryBound(to: UInt8.self),
        target.assumingMemoryBound(to: UInt8.self), count, tag)
      return CRYPTO_memcmp(tag, expected, Self.tagLength) == 0
    }
    var written: Int32 = 0
    return crypt(clear, clearCount, source, into: target, count: count)
      && EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), UnsafeMutableRawPointer(mutating: expected)) == 1
      && EVP_CipherFinal_ex(context, tag, &written) == 1
  }

  /// Returns 8 bytes and 4 other bytes, to be authenticated together. Valid until the next call.
  public func joined(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) -> UnsafeRawPointer {
    let place = UnsafeMutableRawPointer(scratch + 16 + Self.tagLength)
    place.copyMemory(from: first, byteCount: 8)
    (place + 8).copyMemory(from: second, byteCount: 4)
    return UnsafeRawPointer(place)
  }
}
