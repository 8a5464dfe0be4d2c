import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

/// Servers of one cluster in processes of their own, which a test can kill.
final class ClusterProcesses {
  struct State: Decodable {
    struct Node: Decodable { var node: String }
    struct Lease: Decodable { var room: String }
    var ready: Bool
    var promised: Bool
    var nodes: [Node]
    var leases: [Lease]
  }

  private(set) var servers: [ServerProcess] = []

  /// Starts servers, and waits until each may own rooms.
  /// - Parameter regions: whether each has a region of its own, so that a room is made where it is asked for.
  init(_ count: Int, on store: String, _ arguments: [String] = [], regions: Bool = false) async throws {
    for number in 0..<count {
      let region = regions ? ["--region", "r\(number)"] : []
      servers.append(try await ServerProcess(["--cluster", store, "--node-id", "n\(number)"] + region + arguments))
    }
    try await areReady()
  }

  /// Starts a server at each node of a network, with a region of its own, and waits until each may own rooms.
  init(at sites: [ClusterNetwork.Site], on store: String, _ arguments: [String]) async throws {
    for (number, site) in sites.enumerated() {
      servers.append(
        try await ServerProcess(
          [
            "--cluster", store, "--node-id", "n\(number)", "--region", "r\(number)", "--node-address",
            "http://\(site.address):8080", "--workers", "1",
          ] + arguments, at: site))
    }
    try await areReady()
  }

  /// Waits until all servers are members of the cluster that may own rooms.
  func areReady() async throws {
    for server in servers {
      try await eventually("the node is ready") {
        let state = try await Self.state(of: server)
        return state.ready && state.nodes.count == servers.count
      }
    }
  }

  static func state(of server: ServerProcess) async throws -> State {
    let answer = try await server.api("GET", "/v1/cluster")
    return try JSONDecoder().decode(State.self, from: Data(answer.body.utf8))
  }

  /// The server that owns a room; nil if none does.
  func owner(of room: RoomName) async throws -> ServerProcess? {
    for server in servers where server.isRunning {
      if try await Self.state(of: server).leases.contains(where: { $0.room == room.rawValue }) { return server }
    }
    return nil
  }

  /// The servers that run and do not own a room.
  func others(than owner: ServerProcess) -> [ServerProcess] { servers.filter { $0 !== owner && $0.isRunning } }
}
