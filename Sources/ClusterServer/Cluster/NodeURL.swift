import Foundation

/// The address of a node as other nodes reach it: `http://` or `https://`, a host, and a port.
struct NodeURL: Hashable, Sendable {
  let isSecure: Bool
  /// A name or an IP address, without the brackets around IPv6.
  let host: String
  let port: Int

  /// Nil for a text that is no URL with a host.
  init?(_ text: String) {
    guard let url = URLComponents(string: text), let host = url.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty else {
      return nil
    }
    isSecure = url.scheme == "https"
    self.host = host
    port = url.port ?? (isSecure ? 443 : 80)
  }

  /// The host as a URL has it.
  private var urlHost: String { host.contains(":") ? "[\(host)]" : host }

  /// The value of the header `Host`.
  var authority: String { "\(urlHost):\(port)" }

  /// The URL of the node's RTMP server.
  func rtmp(port: UInt16) -> String { "rtmp://\(urlHost):\(port)" }
}
