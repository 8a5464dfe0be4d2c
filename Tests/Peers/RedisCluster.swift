import RoomTestSupport
import Testing

/// A Redis Cluster of a test's own on 127.0.0.1: three masters, the last of which has two replicas.
public final class RedisCluster {
  /// The masters, and then the replicas of the last one.
  public let servers: [RedisServer]
  private let busPorts: [UInt16]

  public static var isInstalled: Bool { RedisServer.isInstalled && Program.path("redis-cli") != nil }

  /// Starts the servers, and waits until all slots are served and the replicas follow their master.
  public init() async throws {
    var servers: [RedisServer] = []
    var busPorts: [UInt16] = []
    for _ in 0..<5 {
      let port = try TCPPort.free()
      busPorts.append(port)
      servers.append(
        try await RedisServer([
          "cluster-enabled": "yes", "cluster-port": "\(port)", "cluster-node-timeout": "1000", "appendonly": "yes",
          "repl-diskless-sync-delay": "0",
        ]))
    }
    (self.servers, self.busPorts) = (servers, busPorts)
    // Masters with one epoch would have to agree on another one first.
    for (number, server) in servers.enumerated() { try await server.ask("CLUSTER", "SET-CONFIG-EPOCH", "\(number + 1)") }
    for (number, range) in [(0, 5460), (5461, 10_922), (10_923, 16_383)].enumerated() {
      try await servers[number].ask("CLUSTER", "ADDSLOTSRANGE", "\(range.0)", "\(range.1)")
    }
    for (server, bus) in zip(servers, busPorts).dropFirst() {
      try await servers[0].ask("CLUSTER", "MEET", "127.0.0.1", "\(server.port)", "\(bus)")
    }
    for server in servers {
      try await eventually("the nodes know one another") {
        let state = try await server.ask("CLUSTER", "INFO")
        return state.contains("cluster_state:ok") && state.contains("cluster_known_nodes:5")
      }
    }
    let master = try await servers[2].ask("CLUSTER", "MYID")
    for replica in servers[3...] { try await replica.ask("CLUSTER", "REPLICATE", master) }
    try await eventually("the replicas follow") { try await servers[2].replicas() == 2 }
    // The master learns by the bus who its replicas are, and ignores a failover of others.
    try await eventually("the master knows its replicas") {
      try await servers[2].ask("CLUSTER", "REPLICAS", master).split(separator: "\n").count { $0.contains("connected") } == 2
    }
  }

  /// The first two masters, which have no replica, and a port at which nobody listens.
  public var hosts: String {
    get throws { try [TCPPort.free(), servers[0].port, servers[1].port].map { "127.0.0.1:\($0)" }.joined(separator: ",") }
  }

  /// The master of the last third of the slots. That of keys with the tag `roomserver` is 12888.
  public var master: RedisServer { servers[2] }
  public var replicas: ArraySlice<RedisServer> { servers[3...] }
}
