/// The server certificates that a client of `wss://` accepts.
package enum ServerTrust: Sendable, Hashable {
  /// Certificates signed by one of the system's authorities.
  case system
  /// Certificates in this PEM file, or signed by one of them.
  case authorities(path: String)
  /// Any certificate.
  case noVerification
}
