import Foundation

/// The address of a Redis or Valkey server, or of those that know it: Sentinels, or nodes of a Redis Cluster.
///
/// - `redis://[user[:password]@]host[:port][/database]`
/// - `rediss://…`: TLS, verified with the system's authorities, or with those of the file `?ca=/path.pem`.
/// - `redis+sentinel://[user[:password]@]host[:port],host…/master[/database]`, and `rediss+sentinel://…`. The password
///   `?sentinel-password=…` is that of the Sentinels.
/// - `redis+cluster://[user[:password]@]host[:port],host…`, and `rediss+cluster://…`: nodes of a Redis Cluster, all of which have
///   the same users. A cluster has no databases.
/// - `?replicas=n`: the replicas that acknowledge a write before it counts; 1 by default with Sentinels or a Redis Cluster, else 0.
public struct RedisURL: Sendable, Hashable {
  /// A host and a port.
  public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
      self.host = host
      self.port = port
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  }

  /// How the client finds the master.
  public enum Server: Sendable, Hashable {
    case direct(Endpoint)
    /// The Sentinels are asked for the master of that name.
    case sentinels([Endpoint], master: String, password: String?)
    /// Nodes of a Redis Cluster are asked for the master of the keys' slot.
    case cluster([Endpoint])
  }

  /// Why a text is not an address.
  public struct Invalid: Error, Hashable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
  }

  public var server: Server
  public var user: String?
  public var password: String?
  public var database: Int
  public var usesTLS: Bool
  /// A PEM file of authorities for TLS; nil for those of the system.
  public var authorities: String?
  /// The number of replicas that acknowledge a write before it counts.
  public var replicas: Int

  private enum Kind { case direct, sentinels, cluster }

  /// Maximum number of Sentinels, and of nodes of a Redis Cluster.
  private static let maximumHosts = 16

  /// Parses an address.
  /// - Throws: ``Invalid``. The error's reason contains no password.
  public init(_ text: String) throws(Invalid) {
    guard let separator = text.range(of: "://") else { throw Invalid(reason: "it has no scheme, such as redis://") }
    let kind: Kind
    switch text[..<separator.lowerBound].lowercased() {
    case "redis": (usesTLS, kind) = (false, .direct)
    case "rediss": (usesTLS, kind) = (true, .direct)
    case "redis+sentinel": (usesTLS, kind) = (false, .sentinels)
    case "rediss+sentinel": (usesTLS, kind) = (true, .sentinels)
    case "redis+cluster": (usesTLS, kind) = (false, .cluster)
    case "rediss+cluster": (usesTLS, kind) = (true, .cluster)
    default: throw Invalid(reason: "the scheme is not redis or rediss, nor one of them with +sentinel or +cluster")
    }
    let parts = text[separator.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var segments = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    var hosts = segments.removeFirst()
    (user, password) = (nil, nil)
    if let at = hosts.lastIndex(of: "@") {
      let credentials = hosts[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = try Self.decoded(credentials[0])
      if user?.isEmpty ?? false { user = nil }
      if credentials.count > 1 { password = try Self.decoded(credentials[1]) }
      hosts = hosts[hosts.index(after: at)...]
    }
    if segments.last?.isEmpty ?? false { segments.removeLast() }
    (authorities, replicas) = (nil, kind == .direct ? 0 : 1)
    var sentinelPassword: String?
    if parts.count > 1 {
      for pair in parts[1].split(separator: "&") {
        let member = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = member.count > 1 ? try Self.decoded(member[1]) : ""
        switch member[0] {
        case "ca": authorities = value
        case "sentinel-password": sentinelPassword = value
        case "replicas":
          guard let count = Int(value), (0...16).contains(count) else { throw Invalid(reason: "replicas: 0 to 16") }
          replicas = count
        default: throw Invalid(reason: "\"\(member[0].prefix(40))\" is no parameter of it")
        }
      }
    }
    switch kind {
    case .sentinels:
      guard let master = segments.first, !master.isEmpty else {
        throw Invalid(reason: "it names no master: redis+sentinel://host,host/master")
      }
      segments.removeFirst()
      let sentinels = try Self.endpoints(hosts, defaultPort: 26379)
      server = .sentinels(sentinels, master: try Self.decoded(master), password: sentinelPassword)
    case .cluster:
      server = .cluster(try Self.endpoints(hosts, defaultPort: 6379))
      guard segments.isEmpty else { throw Invalid(reason: "a Redis Cluster has no databases") }
    case .direct: server = .direct(try Self.endpoint(hosts, defaultPort: 6379))
    }
    database = 0
    guard segments.count <= 1 else { throw Invalid(reason: "its path has too many parts") }
    if let number = segments.first {
      guard let number = Int(number), (0...65_535).contains(number) else { throw Invalid(reason: "the database is no number") }
      database = number
    }
  }

  private static func decoded(_ text: Substring) throws(Invalid) -> String {
    guard let text = text.removingPercentEncoding else { throw Invalid(reason: "a % is followed by no hexadecimal number") }
    return text
  }

  private static func endpoints(_ text: Substring, defaultPort: Int) throws(Invalid) -> [Endpoint] {
    let list = text.split(separator: ",", omittingEmptySubsequences: false)
    guard list.count <= maximumHosts else { throw Invalid(reason: "more than \(maximumHosts) hosts") }
    var endpoints: [Endpoint] = []
    for host in list { endpoints.append(try endpoint(host, defaultPort: defaultPort)) }
    return endpoints
  }

  private static func endpoint(_ text: Substring, defaultPort: Int) throws(Invalid) -> Endpoint {
    var (host, port) = (text, Substring())
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      port = text[text.index(after: end)...]
      guard port.isEmpty || port.hasPrefix(":") else { throw Invalid(reason: "the port does not follow the address") }
      port = port.dropFirst()
    } else if let colon = text.lastIndex(of: ":") {
      (host, port) = (text[..<colon], text[text.index(after: colon)...])
    }
    guard !host.isEmpty else { throw Invalid(reason: "it names no host") }
    guard !port.isEmpty else { return Endpoint(host: String(host), port: defaultPort) }
    guard let port = Int(port), (1...65_535).contains(port) else { throw Invalid(reason: "the port is not 1 to 65535") }
    return Endpoint(host: String(host), port: port)
  }
}

extension RedisURL: CustomStringConvertible {
  /// The address without user, password and parameters, for logs.
  public var description: String {
    let scheme = usesTLS ? "rediss" : "redis"
    return switch server {
    case .direct(let endpoint): "\(scheme)://\(endpoint)/\(database)"
    case .sentinels(let sentinels, let master, _): "\(scheme)+sentinel://\(Self.list(sentinels))/\(master)/\(database)"
    case .cluster(let nodes): "\(scheme)+cluster://\(Self.list(nodes))"
    }
  }

  private static func list(_ endpoints: [Endpoint]) -> String { endpoints.map(\.description).joined(separator: ",") }
}
