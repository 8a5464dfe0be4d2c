/// How to find the master: which server to ask, what to send, and how to read the answer. Sans-I/O.
struct MasterQuestion: Sendable {
  private enum Subject: Sendable {
    case sentinels
    case cluster(KeySlot)
  }

  /// Sentinels, or nodes of a Redis Cluster.
  let servers: [RedisURL.Endpoint]
  /// The last one has the answer.
  let commands: [RedisCommand]
  private let subject: Subject

  /// Nil for an address that names the master itself.
  /// - Parameter tag: the hash tag of all keys. The master of its slot has them in a Redis Cluster.
  init?(_ url: RedisURL, tag: String) {
    switch url.server {
    case .direct: return nil
    case .sentinels(let sentinels, let master, let password):
      servers = sentinels
      commands = (password.map { [["AUTH", $0]] } ?? []) + [["SENTINEL", "GET-MASTER-ADDR-BY-NAME", master]]
      subject = .sentinels
    case .cluster(let nodes):
      servers = nodes
      commands = url.authentication + [["CLUSTER", "SLOTS"]]
      subject = .cluster(KeySlot(tag: tag))
    }
  }

  /// Returns the master.
  /// - Parameter asked: the server that gave the answer. A node of a Redis Cluster may leave out its own host.
  func master(in reply: RedisValue, of asked: RedisURL.Endpoint) throws(RedisFault) -> RedisURL.Endpoint {
    switch subject {
    case .sentinels:
      guard let parts = reply.elements, parts.count == 2, let master = Self.endpoint(parts, asked: nil) else {
        throw .noMaster("it knows no master of that name")
      }
      return master
    case .cluster(let slot):
      for range in reply.elements ?? [] {
        guard let parts = range.elements, parts.count >= 3, let first = parts[0].number, let last = parts[1].number,
          first <= last, (first...last).contains(Int64(slot.number))
        else { continue }
        guard let master = Self.endpoint(parts[2].elements ?? [], asked: asked) else { break }
        return master
      }
      throw .noMaster("it knows no master of \(slot)")
    }
  }

  /// - Parameter asked: the host that no host, or an unknown one, stands for; nil if the answer must name it.
  private static func endpoint(_ parts: [RedisValue], asked: RedisURL.Endpoint?) -> RedisURL.Endpoint? {
    guard parts.count >= 2, let port = parts[1].number, (1...65_535).contains(port) else { return nil }
    let name = parts[0].text ?? ""
    guard let host = name.isEmpty || name == "?" ? asked?.host : name else { return nil }
    return RedisURL.Endpoint(host: host, port: Int(port))
  }
}

extension RedisURL {
  /// The command that names the user, if the address has a password.
  var authentication: [RedisCommand] {
    guard let password else { return [] }
    return [RedisCommand(["AUTH"] + (user.map { [$0] } ?? []) + [password])]
  }
}
