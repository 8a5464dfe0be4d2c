import Foundation
import RoomPeers
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

/// A Redis and nodes, each in a network namespace, whose links a test can cut.
struct ClusterFaults {
  let network: ClusterNetwork
  let redis: RedisServer
  let cluster: ClusterProcesses

  init(_ count: Int, _ arguments: [String] = []) async throws {
    network = try ClusterNetwork(nodes: count)
    let port: UInt16 = 6379
    redis = try await RedisServer(
      ["bind": network.redis.address, "protected-mode": "no"], port: port, prefix: network.redis.namespace.prefix)
    cluster = try await ClusterProcesses(
      at: network.nodes, on: "redis://\(network.redis.address):\(port)", ["--relay-target", network.address] + arguments)
  }

  var servers: [ServerProcess] { cluster.servers }

  /// Makes a room at a node. Its audience receives the tracks of all, so only jobs in a PK mix pictures.
  func makeRoom(_ name: RoomName, at node: Int) async throws {
    let picture = String(decoding: try JSONEncoder().encode(Anchors.picture), as: UTF8.self)
    let room = #"{"name":"\#(name)","audience":"separate","pk":\#(picture)}"#
    #expect(try await servers[node].api("POST", "/v1/rooms", json: room).status == 201)
    #expect(try await owner(of: name) == node)
  }

  /// The number of the node that owns a room; nil if none does, or more than one says so.
  func owner(of room: RoomName) async throws -> Int? {
    var owners: [Int] = []
    for (number, server) in servers.enumerated() where server.isRunning {
      let state = try? await ClusterProcesses.state(of: server)
      if state?.leases.contains(where: { $0.room == room.rawValue }) ?? false { owners.append(number) }
    }
    return owners.count == 1 ? owners[0] : nil
  }

  /// Cuts a node off from Redis, or ends that.
  func cutRedis(from node: Int) throws { try network.cut(network.nodes[node], network.redis) }
  func mendRedis(from node: Int) throws { try network.mend(network.nodes[node], network.redis) }

  /// Checks that nodes without Redis refuse rooms that nobody has made yet: over REST, and joins.
  func refuseNewRooms(_ nodes: Int..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in nodes.map({ servers[$0] }) {
        group.addTask {
          let (status, body) = try await server.api("POST", "/v1/rooms", json: #"{"name":"new"}"#)
          #expect(status == 503 && body.contains("80302"), "\(status) \(body)", sourceLocation: sourceLocation)
        }
        group.addTask {
          let token = try server.token(user: "eve", room: "new")
          let error = await #expect(throws: RoomError.self, sourceLocation: sourceLocation) {
            try await Room.connect(to: server.url, token: token)
          }
          #expect(error?.code == .joinFailed, sourceLocation: sourceLocation)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Sets and reads the attribute "topic" of a room.
  func setTopic(_ topic: String, of room: RoomName, at node: Int) async throws {
    let set = try await servers[node].api(
      "POST", "/v1/rooms/\(room)/calls/setAttributes", json: #"{"set":{"topic":"\#(topic)"}}"#)
    #expect(set.status == 200, "\(set)")
  }

  func topic(of room: RoomName, at node: Int) async throws -> String? {
    let answer = try await servers[node].api("GET", "/v1/rooms/\(room)/state")
    guard answer.status == 200 else { return nil }
    return try JSONDecoder().decode(RoomSnapshot.self, from: Data(answer.body.utf8)).attributes["topic"]
  }
}
