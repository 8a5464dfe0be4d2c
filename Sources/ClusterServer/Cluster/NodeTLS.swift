import NIOCore
import NIOSSL
import RoomServer

/// TLS of connections to other nodes: verifies their certificates with the authorities of the system, or with those of a file.
struct NodeTLS: Sendable {
  private let context: NIOSSLContext

  /// - Parameter authorities: a PEM file; nil for the authorities of the system.
  init(authorities: String?) throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = authorities.map { .file($0) } ?? .default
    context = try NIOSSLContext(configuration: configuration)
  }

  /// Returns the handler of a connection to a host. Its certificate has to have that name, or the address as an IP address.
  func handler(for host: String) throws -> NIOSSLClientHandler {
    let isName = (try? SocketAddress(ipAddress: host, port: 0)) == nil
    return try NIOSSLClientHandler(context: context, serverHostname: isName ? host : nil)
  }
}
