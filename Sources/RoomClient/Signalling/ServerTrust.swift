/// The certificates that the client accepts from a server with a `wss://` address.
public enum ServerTrust: Sendable, Hashable {
  /// Certificates for the server's name, signed by one of the system's authorities.
  case system
  /// Certificates for the server's name that are in this PEM file, or signed by one of them.
  case certificates(path: String)
  /// Any certificate, for tests only: anyone on the path can then read and change the signalling.
  case none
}
