import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Requests behind a session's end")
struct PipeliningTests {
  private func text(_ id: Int, _ call: SignalCall) throws -> Frame {
    Frame(opcode: 1, payload: Array(try JSONEncoder().encode(SignalRequest(id: id, call: call))))
  }

  @Test(
    "a join sent directly after a leave, a self-kick or a rejected join is not executed",
    arguments: ["leave", "kick", "join"])
  func joins(end: String) async throws {
    try await TestServer.with { server in
      let watcher = try await server.join("watcher")
      let client = try await server.connect()
      let ending: SignalCall
      if end == "join" {
        ending = .join(JoinParams(token: "nonsense"))
      } else {
        try await client.join(try server.token("alice", grants: [.publish, .admin]))
        ending = end == "leave" ? .leave : .kick(UserParams(userId: "alice"))
      }
      let join = SignalCall.join(JoinParams(token: try server.token("ghost")))
      client.wire.send(try text(1000, ending).bytes(masked: true) + text(1001, join).bytes(masked: true))
      try await client.closed()
      // Answered after everything that the other session did.
      #expect(try await watcher.error(of: .ping) == nil)
      try await eventually("the watcher is alone") { try await server.metric("roomserver_participants") == 1 }
      #expect(!watcher.events.contains { if case .joined(let info) = $0 { info.userId == "ghost" } else { false } })
    }
  }
}
