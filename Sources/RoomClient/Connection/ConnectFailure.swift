/// The reason why the client could not open a socket to the server.
public struct ConnectFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure. New versions of the library may add cases, so a `switch` should have a `default`.
  public enum Kind: Sendable, Hashable {
    /// The name of the host could not be resolved.
    case nameNotFound
    /// Nothing listens at the address.
    case refused
    /// No route leads to the address.
    case unreachable
    /// The server did not answer within ``RoomOptions/timeout``.
    case timedOut
    /// The trust settings of the client are invalid, such as a file without certificates.
    case invalidTrust
    /// The server's certificate is not trusted, or is for another name.
    case untrustedCertificate
    /// The TLS handshake failed for another reason; the server may not speak TLS at this port.
    case tls
    /// An HTTP server answered with this status instead of opening a WebSocket. 404 means a wrong path.
    case upgradeRefused(status: Int)
    /// The server closed the socket before it answered, or sent something other than HTTP.
    case closed
    /// Another failure of the network; see ``ConnectFailure/cause``.
    case other
  }

  /// The kind of the failure.
  public var kind: Kind
  /// The text of the underlying error, for logs; empty if there is none.
  public var cause: String

  /// Creates a failure.
  public init(_ kind: Kind, cause: String = "") {
    self.kind = kind
    self.cause = cause
  }

  /// A sentence that describes the failure, without the cause.
  public var description: String {
    switch kind {
    case .nameNotFound: "the host name is unknown"
    case .refused: "nothing listens at the address"
    case .unreachable: "the address is unreachable"
    case .timedOut: "no answer in time"
    case .invalidTrust: "the trusted certificates cannot be read"
    case .untrustedCertificate: "the server's certificate is not trusted"
    case .tls: "the TLS handshake failed"
    case .upgradeRefused(let status): "the server answered \(status) instead of opening a WebSocket"
    case .closed: "the server closed the socket before the WebSocket was open"
    case .other: "the network failed"
    }
  }
}
