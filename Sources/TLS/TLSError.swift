/// Why a TLS connection can't begin or continue.
public enum TLSError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The certificates are not PEM, can't be read, or are missing.
  case unusableCertificates
  /// The key is not PEM, or has a passphrase.
  case unusableKey
  /// The key is not that of the certificate.
  case otherKey
  /// The server's certificate is not trusted, is expired, or has another name; with OpenSSL's words.
  case untrusted(String)
  /// The handshake failed; with OpenSSL's words.
  case handshake(String)
  /// The peer sent what is no TLS record, or an alert; with OpenSSL's words.
  case broken(String)
  /// The connection was closed without a close_notify (RFC 8446 §6.1): more data may have been under way.
  case truncated

  public var description: String {
    switch self {
    case .unusableCertificates: "the certificates are not usable"
    case .unusableKey: "the key is not usable"
    case .otherKey: "the key is not the key of the certificate"
    case .untrusted(let reason): "the server's certificate is not trusted: \(reason)"
    case .handshake(let reason): "TLS handshake failed: \(reason)"
    case .broken(let reason): "TLS failed: \(reason)"
    case .truncated: "closed without a TLS close notification"
    }
  }
}
