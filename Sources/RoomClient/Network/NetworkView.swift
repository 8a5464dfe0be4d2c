import RoomWebRTC

/// What a client observes of the machine's network. A test replaces it.
package struct NetworkView: Sendable {
  /// Returns a stream with an element after one or more changes of addresses or routes.
  package var changes: @Sendable () -> AsyncStream<Void>
  /// Returns the local address that reaches a server, without a port; nil without a route.
  package var source: @Sendable (_ server: TransportAddress) -> String?

  package init(
    changes: @escaping @Sendable () -> AsyncStream<Void>, source: @escaping @Sendable (_ server: TransportAddress) -> String?
  ) {
    self.changes = changes
    self.source = source
  }

  /// The network as the kernel reports it.
  package static let kernel = NetworkView(
    changes: { NetworkWatch.shared.changes() }, source: { ServerPath.source(toward: $0) })
}
