import Foundation

/// The parts of a signalling address.
package struct SignalAddress: Sendable, Hashable {
  var host: String
  var port: Int
  var isSecure: Bool
  /// The path with the query.
  var path: String
  /// The value of the `Host` header.
  var hostField: String

  package init(_ text: String) throws(RoomClientError) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), scheme == "ws" || scheme == "wss",
      let host = parts.host, !host.isEmpty
    else { throw .invalidURL(text) }
    isSecure = scheme == "wss"
    // Foundation keeps the brackets of an IPv6 literal.
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    guard (1...65535).contains(parts.port ?? 1) else { throw .invalidURL(text) }
    port = parts.port ?? (isSecure ? 443 : 80)
    path =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    let literal = self.host.contains(":") ? "[\(self.host)]" : self.host
    hostField = parts.port.map { "\(literal):\($0)" } ?? literal
  }
}
