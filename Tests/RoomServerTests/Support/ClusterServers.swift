import Foundation
import RoomCluster
import RoomPeers
import RoomRedis
import RoomTestSupport
import Testing

@testable import RoomServer

/// Servers of one cluster in this process, with a Redis of their own.
struct ClusterServers {
  let servers: [TestServer]
  let redis: RedisServer

  private struct State: Decodable {
    struct Lease: Decodable { var room: String }
    struct Node: Decodable { var node: String }
    var ready: Bool?
    var nodes: [Node]?
    var leases: [Lease]?
  }

  private static func state(_ server: TestServer) async throws -> State { try await server.api("GET", "/v1/cluster").decoded() }

  /// Starts servers, waits until each may own rooms, runs `body`, and stops them.
  static func with(
    _ count: Int, _ adjust: (inout ServerConfiguration) -> Void = { _ in }, _ body: (ClusterServers) async throws -> Void
  ) async throws {
    let redis = try await RedisServer()
    var servers: [TestServer] = []
    for number in 0..<count {
      servers.append(
        try await TestServer.start { configuration in
          configuration.cluster = try? ClusterSettings(store: RedisURL("redis://127.0.0.1:\(redis.port)"))
          configuration.cluster?.node = NodeID("n\(number)")
          adjust(&configuration)
        })
    }
    do {
      for server in servers {
        try await eventually("it is ready") {
          let state = try await state(server)
          return state.ready == true && state.nodes?.count == count
        }
      }
      try await body(ClusterServers(servers: servers, redis: redis))
    } catch {
      for server in servers { await server.server.stop() }
      throw error
    }
    for server in servers { await server.server.stop() }
  }

  subscript(number: Int) -> TestServer { servers[number] }

  /// Returns the number of the server that owns a room.
  func owner(of room: String) async throws -> Int? {
    for (number, server) in servers.enumerated() {
      if try await Self.state(server).leases?.contains(where: { $0.room == room }) == true { return number }
    }
    return nil
  }

  /// Returns the answer of Redis to a command.
  func ask(_ command: RedisCommand) async throws -> RedisValue {
    let client = try RedisClient(RedisURL("redis://127.0.0.1:\(redis.port)"))
    let reply: RedisValue
    do { reply = try await client.send(command) } catch {
      await client.close()
      throw error
    }
    await client.close()
    return reply
  }
}
