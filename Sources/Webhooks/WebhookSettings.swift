import Foundation
import HTTPServer
public import LiveOrigin
import RTP

/// Where the app's own server hears of what happens in rooms, and how much of it is kept.
public struct WebhookSettings: Sendable, Hashable {
  /// `http://` or `https://`; every one gets every event.
  public var urls: [String] = []
  /// What deliveries are signed with; nil for the secret of the API key.
  public var secret: Secret?
  /// A PEM file of the certificates that `https` receivers may be signed by; nil for the system's.
  public var trustedCertificates: String?
  /// A receiver that has not answered by then has failed.
  public var timeout: Duration = .seconds(5)
  /// An event that could not be delivered for so long is given up.
  public var longestAge: Duration = .seconds(86_400)
  /// Milliseconds after a first failure; they double from failure to failure, up to `longestWait`.
  public var firstWait: Int64 = 500
  /// Milliseconds.
  public var longestWait: Int64 = 30_000
  /// Deliveries to one webhook at once; a room has one at a time.
  public var concurrent = 16
  /// Events that are kept, for webhooks that are behind and for `GET /v1/events`.
  public var kept = 50_000

  public init() {}

  /// What is wrong with it; nil where nothing is.
  public var complaint: String? {
    for url in urls where WebhookAddress(url) == nil {
      return "\(url.shownURL) is no webhook: http://host/path or https://host/path is needed, without a user name"
    }
    if Set(urls).count < urls.count { return "a webhook is named twice" }
    if secret?.isEmpty == true { return "the webhooks' secret is empty: anybody could sign with it" }
    return nil
  }

  var policy: Outbox.Policy {
    Outbox.Policy(
      firstWait: firstWait, longestWait: longestWait, concurrent: concurrent, longestAge: longestAge.milliseconds)
  }
}

extension WebhookSettings: CustomStringConvertible, CustomReflectable {
  /// Without what may be a key in the URLs.
  public var description: String { "WebhookSettings(\(urls.map(\.shownURL)))" }
  public var customMirror: Mirror { Mirror(self, children: ["urls": urls.map(\.shownURL)]) }
}

/// A webhook's URL, taken apart.
struct WebhookAddress: Sendable, Hashable {
  let isSecure: Bool
  let host: String
  let port: Int
  /// Path and query, as they go into the request.
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

  /// For the `Host` header: without the port where it is the usual one.
  var authority: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
  }

  /// For logs and metrics: without the query, which may hold a key.
  var shown: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
