import RoomCOpenSSL

/// HMAC-SHA1 (RFC 2104) whose two key blocks are hashed once: each message starts from copies, and nothing is allocated.
///
/// Trivial, so that using it costs no reference counting; the owner frees it with `deallocate`.
struct HMACSHA1: BitwiseCopyable {
  private let inner: UnsafeMutablePointer<SHA_CTX>
  private let outer: UnsafeMutablePointer<SHA_CTX>
  private let state: UnsafeMutablePointer<SHA_CTX>
  private let digest: UnsafeMutablePointer<UInt8>

  static let digestLength = 20

  /// Creates the context. `key` has at most 64 bytes; longer keys are truncated.
  init(key: [UInt8]) {
    inner = Self.hashState(key: key, pad: 0x36)
    outer = Self.hashState(key: key, pad: 0x5C)
    state = .allocate(capacity: 1)
    state.initialize(to: SHA_CTX())
    digest = .allocate(capacity: Self.digestLength)
    digest.initialize(repeating: 0, count: Self.digestLength)
  }

  func deallocate() {
    for secret in [inner, outer, state] {
      // No key must remain in freed memory.
      OPENSSL_cleanse(secret, MemoryLayout<SHA_CTX>.size)
      secret.deallocate()
    }
    digest.deallocate()
  }

  func begin() { state.pointee = inner.pointee }

  func add(_ bytes: UnsafeRawPointer, count: Int) { openssl_sha1_update(state, bytes, count) }

  /// Returns the 20 bytes of the HMAC, valid until the next call.
  func finish() -> UnsafePointer<UInt8> {
    openssl_sha1_final(state, digest)
    state.pointee = outer.pointee
    openssl_sha1_update(state, digest, Self.digestLength)
    openssl_sha1_final(state, digest)
    return UnsafePointer(digest)
  }

  private static func hashState(key: [UInt8], pad: UInt8) -> UnsafeMutablePointer<SHA_CTX> {
    let state = UnsafeMutablePointer<SHA_CTX>.allocate(capacity: 1)
    state.initialize(to: SHA_CTX())
    let block = key.prefix(64).map { $0 ^ pad } + [UInt8](repeating: pad, count: max(0, 64 - key.count))
    openssl_sha1_init(state)
    openssl_sha1_update(state, block, block.count)
    return state
  }
}
