import RoomServer
import RoomTestSupport
import Testing

@Suite("Closing a room with a mix")
struct ClosedRoomMixTests {
  @Test("its mix ends and releases its resources", .timeLimit(.minutes(1)))
  func ends() async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"closing"}"#).status == 201)
      let job = """
        {"jobId":"j","publishAs":"mix","width":320,"height":180,"fps":5,
        "layouts":[{"userId":"ada","x":0,"y":0,"width":320,"height":180}]}
        """
      #expect(try await server.api("POST", "/v1/rooms/closing/merge-jobs", json: job).status == 201)
      try await eventually("it mixes") { try await server.metric("roomserver_mixes") == 1 }
      #expect(try await server.api("DELETE", "/v1/rooms/closing").status == 204)
      try await eventually("the mix has ended") { try await server.metric("roomserver_mixes") == 0 }
    }
  }
}
