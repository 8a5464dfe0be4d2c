import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server's Prometheus metrics.
struct ServerMetrics: Sendable {
  /// Values by name, including labels.
  var values: [String: Int64] = [:]

  /// Parses the response of `/metrics`. Values that are not integers are omitted.
  init(parsing text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let value = Int64(line[line.index(after: space)...]) else { continue }
      values[String(line[..<space])] = value
    }
  }

  /// Fetches the metrics; returns nil if the server has none.
  static func fetch(_ url: URL) async -> ServerMetrics? {
    guard let (data, _) = try? await URLSession.shared.fetch(URLRequest(url: url)) else { return nil }
    return ServerMetrics(parsing: String(decoding: data, as: UTF8.self))
  }

  /// Returns the growth of the counters whose name contains `word`.
  func growth(since before: ServerMetrics, of word: String) -> [String: Int64] {
    var growth: [String: Int64] = [:]
    for (name, value) in values where name.contains(word) { growth[name] = value - (before.values[name] ?? 0) }
    return growth
  }
}
