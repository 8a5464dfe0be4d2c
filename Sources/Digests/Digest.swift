import RoomCOpenSSL

/// The digests of libcrypto that the protocols use, plain and keyed.
public enum Digest: Sendable {
  /// RFC 1321. Links of the origin only: it protects nothing by itself.
  case md5
  /// FIPS 180-4. STUN, TURN credentials and the WebSocket handshake prescribe it.
  case sha1
  /// FIPS 180-4.
  case sha256

  /// The digest of bytes; empty if the system's policy forbids the algorithm.
  public func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard Libcrypto.isReady, EVP_Digest(bytes, bytes.count, &digest, &length, algorithm, nil) == 1 else { return [] }
    return Array(digest.prefix(Int(length)))
  }

  /// The keyed digest of a message, HMAC (RFC 2104); empty if the system's policy forbids the algorithm.
  /// - Parameter key: of any length, an empty key included.
  public func hmac(of message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
    let (key, message) = (Array(key), Array(message))
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard Libcrypto.isReady,
      HMAC(algorithm, key, Int32(clamping: key.count), message, message.count, &digest, &length) != nil
    else { return [] }
    return Array(digest.prefix(Int(length)))
  }

  /// Whether two digests are the same and not empty, in a time that depends on their length alone.
  public static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    !a.isEmpty && a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }

  private var algorithm: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    }
  }
}

extension Collection<UInt8> {
  /// The bytes as lower-case hexadecimal digits, two for each.
  public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
