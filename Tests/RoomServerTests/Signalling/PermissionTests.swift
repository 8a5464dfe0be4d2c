import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Permissions that the server API changes")
struct PermissionTests {
  private func permit(_ server: TestServer, _ user: String, _ json: String) async throws -> TestResponse {
    try await server.api("PUT", "/v1/rooms/room/participants/\(user)/permissions", json: json)
  }

  @Test("who may no longer publish loses its tracks, who may no longer receive gets none, and both are given back")
  func change() async throws {
    try await TestServer.with { server in
      let ann = try await server.join("ann")
      let bob = try await server.join("bob")
      let track = try #require(try await ann.publish(.opus).first).trackId
      _ = try await bob.event("bob is offered the track") { if case .offer(let data) = $0 { data } else { nil } }

      #expect(try await permit(server, "ann", #"{"grants":["subscribe"]}"#).status == 200)
      for client in [ann, bob] {
        let ended = try await client.event("the track ends") { if case .unpublished(let data) = $0 { data } else { nil } }
        #expect(ended.userId == "ann" && ended.trackIds == [track])
        _ = try await client.event("the permissions") { if case .permissionsChanged(let data) = $0 { data } else { nil } }
      }
      await #expect(throws: RoomError.self) { try await ann.publish(.opus) }
      #expect(try await permit(server, "ann", #"{"grants":["publish","subscribe"],"sources":["screen"]}"#).status == 200)
      await #expect(throws: RoomError.self) { try await ann.publish(.opus) }
      #expect(try await permit(server, "ann", #"{"grants":["publish","subscribe"],"sources":["camera"]}"#).status == 200)
      _ = try await ann.publish(.opus)
      _ = try await bob.event("the new track") { if case .published(let data) = $0 { data } else { nil } }

      #expect(try await permit(server, "bob", #"{"grants":[]}"#).status == 200)
      let refused = try await bob.error(of: .subscribe(TrackSelection(userIds: ["ann"])))
      #expect(refused?.code == .noPermission)
      let long = String(repeating: "x", count: 65)
      for json in [
        #"{"grants":["hidden"]}"#, #"{"grants":["fly"]}"#, #"{}"#, #"{"grants":[],"sources":["\#(long)"]}"#,
      ] {
        #expect(try await permit(server, "bob", json).status == 400)
      }
    }
  }
}
