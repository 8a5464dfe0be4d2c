package import RoomTLS

extension ServerTrust {
  /// The certificates that TLS accepts.
  package var tls: TLSContext.Trust {
    switch self {
    case .system: .system
    case .certificates(let path): .file(path)
    case .none: .any
    }
  }

  /// Creates the TLS settings of a connection to a server.
  /// - Throws: ``ConnectFailure`` if the certificates cannot be read.
  package func context() throws -> TLSContext {
    do { return try TLSContext(trusting: tls) } catch {
      throw ConnectFailure(.invalidTrust, cause: String(describing: error))
    }
  }
}
