import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The counters that a server tells Prometheus.
struct ServerMetrics: Sendable {
  /// By name, labels and all.
  var values: [String: Int64] = [:]

  /// Reads what `/metrics` gave; what is no whole number is left out.
  init(parsing text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let value = Int64(line[line.index(after: space)...]) else { continue }
      values[String(line[..<space])] = value
    }
  }

  /// Fetches them; nil where the server has none.
  static func fetch(_ url: URL) async -> ServerMetrics? {
    guard let (data, _) = try? await URLSession.shared.fetch(URLRequest(url: url)) else { return nil }
    return ServerMetrics(parsing: String(decoding: data, as: UTF8.self))
  }

  /// By how much the counters have grown whose name has `word` in it.
  func growth(since before: ServerMetrics, of word: String) -> [String: Int64] {
    var growth: [String: Int64] = [:]
    for (name, value) in values where name.contains(word) { growth[name] = value - (before.values[name] ?? 0) }
    return growth
  }
}
