import Foundation
import RoomCOpenSSL
import RoomDigests

/// The settings that TLS connections share: which certificates a client trusts, or which certificate a server shows.
/// TLS 1.2 and 1.3, without renegotiation.
// Sendable: the properties are constants, and OpenSSL 3 lets threads create SSLs from one SSL_CTX concurrently as long as its
// configuration no longer changes; all configuration ends in init.
public final class TLSContext: @unchecked Sendable {
  /// The certificates that a client trusts.
  public enum Trust: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// The certificates in a PEM file.
    case file(String)
    /// The certificates of a PEM text.
    case text(String)
    /// Any certificate, with any name.
    case any
  }

  let context: OpaquePointer
  let isServer: Bool
  let checksNames: Bool
  /// When the server's certificate expires; nil for a client.
  public let expires: Date?

  /// Creates the settings of a client.
  /// - Throws: ``TLSError/unusableCertificates`` if the trusted certificates can't be read.
  public init(trusting trust: Trust) throws(TLSError) {
    context = try Self.bare(TLS_client_method())
    (isServer, checksNames, expires) = (false, trust != .any, nil)
    let isLoaded =
      switch trust {
      case .system: SSL_CTX_set_default_verify_paths(context) == 1
      case .file(let path): SSL_CTX_load_verify_file(context, path) == 1
      case .text(let pem): Self.trust(pem, in: context)
      case .any: true
      }
    // A certificate that is trusted itself needs no authority above it.
    X509_STORE_set_flags(SSL_CTX_get_cert_store(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    SSL_CTX_set_verify(context, trust == .any ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
    guard isLoaded else { throw .unusableCertificates }
  }

  /// Creates the settings of a server.
  /// - Parameters:
  ///   - certificates: the certificate and its chain, as PEM.
  ///   - key: the key of the certificate, as PEM without a passphrase.
  ///   - ciphers: the cipher suites of TLS 1.2, in OpenSSL's words.
  /// - Throws: ``TLSError/unusableCertificates``, ``TLSError/unusableKey``, or ``TLSError/otherKey``.
  public init(
    certificates: some Sequence<UInt8>, key: some Sequence<UInt8>, ciphers: String = "ECDHE+AESGCM:ECDHE+CHACHA20"
  ) throws(TLSError) {
    context = try Self.bare(TLS_server_method())
    (isServer, checksNames) = (true, false)
    let chain = PEM(certificates).certificates
    defer { for certificate in chain { X509_free(certificate) } }
    guard let own = chain.first, SSL_CTX_use_certificate(context, own) == 1 else { throw .unusableCertificates }
    expires = Self.end(of: own)
    guard let key = PEM(key).key else { throw .unusableKey }
    defer { EVP_PKEY_free(key) }
    // A key of another kind is accepted by the context, beside the certificate.
    guard X509_check_private_key(own, key) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else { throw .otherKey }
    for certificate in chain.dropFirst() {
      guard openssl_ctx_add1_chain_cert(context, certificate) == 1 else { throw .unusableCertificates }
    }
    guard SSL_CTX_set_cipher_list(context, ciphers) == 1 else { throw .handshake("no such cipher suites: \(ciphers)") }
  }

  deinit { SSL_CTX_free(context) }

  /// Restricts a client to TLS 1.2 with some cipher suites, in OpenSSL's words.
  package convenience init(trusting trust: Trust, ciphersOfTLS12 ciphers: String) throws(TLSError) {
    try self.init(trusting: trust)
    guard openssl_ctx_set_max_version(context, TLS1_2_VERSION) == 1, SSL_CTX_set_cipher_list(context, ciphers) == 1 else {
      throw .handshake("no such cipher suites: \(ciphers)")
    }
  }

  private static func bare(_ method: OpaquePointer?) throws(TLSError) -> OpaquePointer {
    guard Libcrypto.isReady, let context = SSL_CTX_new(method), openssl_ctx_set_min_version(context, TLS1_2_VERSION) == 1
    else { throw .handshake("SSL_CTX_new") }
    SSL_CTX_set_options(context, openssl_op_no_renegotiation())
    _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    return context
  }

  private static func trust(_ pem: String, in context: OpaquePointer) -> Bool {
    let certificates = PEM(pem.utf8).certificates
    defer { for certificate in certificates { X509_free(certificate) } }
    let store = SSL_CTX_get_cert_store(context)
    return !certificates.isEmpty && certificates.allSatisfy { X509_STORE_add_cert(store, $0) == 1 }
  }

  private static func end(of certificate: OpaquePointer) -> Date? {
    var parts = tm()
    guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
  }
}

/// The certificates and the key of a PEM text (RFC 7468). The reader owns what it gets.
private struct PEM {
  private let bytes: [UInt8]

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  var certificates: [OpaquePointer] {
    read { text in
      var all: [OpaquePointer] = []
      while let next = PEM_read_bio_X509(text, nil, noPassphrase, nil) { all.append(next) }
      return all
    } ?? []
  }

  var key: OpaquePointer? { read { PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil) } }

  private func read<Value>(_ body: (OpaquePointer) -> Value?) -> Value? {
    defer { ERR_clear_error() }
    guard let count = Int32(exactly: bytes.count) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard let text = BIO_new_mem_buf(bytes.baseAddress, count) else { return nil }
      defer { BIO_free(text) }
      return body(text)
    }
  }
}

/// Gives no passphrase; without this function, OpenSSL would ask at the terminal.
private func noPassphrase(_: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _: UnsafeMutableRawPointer?) -> CInt { -1 }
