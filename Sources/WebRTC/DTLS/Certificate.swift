import RoomCOpenSSL
import RoomDigests

/// The self-signed ECDSA P-256 certificate of one side and the `SSL_CTX` that all its associations share (RFC 8827 §6.5).
///
/// There is one per process start of a server or client. Associations check each other by fingerprint, never by name or date.
// Sendable: both properties are constants, and OpenSSL 3 lets threads create SSLs from one SSL_CTX concurrently as long as its
// configuration no longer changes; all configuration ends in init.
public final class Certificate: @unchecked Sendable {
  let context: OpaquePointer
  /// The SHA-256 of the certificate, which `a=fingerprint` announces to the other side.
  public let fingerprint: Fingerprint

  /// Generates a new key and certificate. Takes about 0.1 ms.
  public init() throws(CertificateError) {
    guard Libcrypto.isReady, let context = SSL_CTX_new(DTLS_method()) else { throw .cryptography("SSL_CTX_new") }
    do throws(CertificateError) {
      fingerprint = try Self.configure(context)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.context = context
  }

  deinit { SSL_CTX_free(context) }

  private static func configure(_ context: OpaquePointer) throws(CertificateError) -> Fingerprint {
    guard let key = openssl_ec_p256_key() else { throw .cryptography("EVP_EC_gen") }
    defer { EVP_PKEY_free(key) }
    guard let certificate = X509_new() else { throw .cryptography("X509_new") }
    defer { X509_free(certificate) }
    try sign(certificate, key)
    guard let fingerprint = Fingerprint(of: certificate, algorithm: "sha-256") else { throw .cryptography("X509_digest") }
    // Suites of RFC 8827 §6.5, that of `DTLSProtection` first; no renegotiation, tickets or cache, because sessions are never resumed.
    guard openssl_ctx_set_dtls12(context) == 1,
      SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1,
      SSL_CTX_set_cipher_list(context, "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20") == 1
    else { throw .cryptography("SSL_CTX") }
    SSL_CTX_set_options(context, openssl_op_no_query_mtu() | openssl_op_no_ticket() | openssl_op_no_renegotiation())
    _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    SSL_CTX_set_cert_verify_callback(context, { store, _ in DTLSAssociation.accepts(store) ? 1 : 0 }, nil)
    return fingerprint
  }

  private static func sign(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(CertificateError) {
    let days = 24 * 60 * 60
    // Name and dates reveal nothing to an observer; clocks may differ by a day.
    let serial = UInt64.random(in: 1...UInt64(Int64.max))
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
      X509_gmtime_adj(X509_getm_notBefore(certificate), -days) != nil,
      X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * days) != nil,
      let name = X509_get_subject_name(certificate),
      X509_NAME_add_entry_by_txt(name, "CN", 0x1000 | 1, "WebRTC", -1, -1, 0) == 1,
      X509_set_issuer_name(certificate, name) == 1, X509_set_pubkey(certificate, key) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0
    else { throw .cryptography("X509") }
  }
}

/// The reason why a certificate could not be created.
public enum CertificateError: Error, Sendable, Hashable {
  /// A call of libcrypto or libssl failed; the name of the call.
  case cryptography(String)
}

extension Fingerprint {
  /// Computes the hash of an X509. Returns nil for an algorithm that RFC 8122 does not name or that is broken (MD5, SHA-1).
  init?(of certificate: OpaquePointer, algorithm: String) {
    let digest: OpaquePointer?
    switch algorithm {
    case "sha-256": digest = EVP_sha256()
    case "sha-384": digest = EVP_sha384()
    case "sha-512": digest = EVP_sha512()
    default: return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard X509_digest(certificate, digest, &bytes, &length) == 1 else { return nil }
    self.init(algorithm: algorithm, bytes: Array(bytes.prefix(Int(length))))
  }
}
