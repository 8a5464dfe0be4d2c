import NIOCore
import NIOSSL

extension ServerTrust {
  /// Creates the TLS settings of a connection to a server.
  /// - Throws: ``ConnectFailure`` if the certificates cannot be read.
  package func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    switch self {
    case .system: break
    case .certificates(let path): configuration.trustRoots = .file(path)
    case .none: configuration.certificateVerification = .none
    }
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw ConnectFailure(.invalidTrust, cause: String(describing: error))
    }
  }
}

extension NIOSSLContext {
  /// Creates the handler of a connection to a host.
  package func handler(for host: String) throws -> NIOSSLClientHandler {
    // An IP address cannot be sent as SNI (RFC 6066 §3).
    let isLiteral = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    return try NIOSSLClientHandler(context: self, serverHostname: isLiteral ? nil : host)
  }
}
