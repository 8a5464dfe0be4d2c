import Glibc
import RoomCLinux
import RoomWebRTC

/// The local address from which the kernel reaches a server, and its changes.
struct ServerPath: Sendable, Hashable {
  private(set) var source: String?

  /// Records the current local address, nil while there is no route. Returns the change since the last known address.
  mutating func update(_ source: String?) -> NetworkChange? {
    guard let source else { return nil }
    defer { self.source = source }
    guard let before = self.source, before != source else { return nil }
    return NetworkChange(from: before, to: source)
  }

  /// Returns the local address from which the kernel would send to the server; nil without a route. Sends nothing.
  static func source(toward server: TransportAddress) -> String? {
    var (remote, source) = (sockaddr_storage(), sockaddr_storage())
    let length = server.write(to: &remote)
    let result = withUnsafePointer(to: &remote) { remote in
      remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_source_address($0, length, &source) }
    }
    return result == 0 ? TransportAddress(&source)?.host : nil
  }
}
