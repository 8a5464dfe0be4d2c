import Foundation

/// A parsed webhook URL.
struct WebhookAddress: Sendable, Hashable {
  let isSecure: Bool
  let host: String
  let port: Int
  /// Path and query, as the request line contains them.
  let target: String
  let path: String

  init?(_ text: String) {
    guard let url = URLComponents(string: text), let host = url.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty,
      url.user == nil, url.password == nil, ["http", "https"].contains(url.scheme?.lowercased()),
      (1...65_535).contains(url.port ?? 80)
    else { return nil }
    isSecure = url.scheme?.lowercased() == "https"
    self.host = host
    port = url.port ?? (isSecure ? 443 : 80)
    path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
    target = path + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// The value of the `Host` header: without the port if it is the default one.
  var authority: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
  }

  /// The URL for logs and metrics: without the query, which may contain a key.
  var shown: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
