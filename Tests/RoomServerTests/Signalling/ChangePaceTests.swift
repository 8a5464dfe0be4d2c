import RoomProtocol
import Testing

@testable import RoomServer

@Suite("Calls that send an event to the whole room")
struct ChangePaceTests {
  @Test("over a participant's rate limit they are rejected with 80302 and change nothing")
  func pace() async throws {
    try await TestServer.with({
      $0.limits.changesPerSecond = 0.001
      $0.limits.changeBurst = 19
    }) { server in
      let host = try await server.join("host", grants: [.publish, .subscribe, .admin])
      let guest = try await server.join("guest")
      func set(_ value: String, by client: SignalClient) async throws -> RoomError? {
        try await client.error(of: .setAttributes(AttributeParams(set: ["key": value])))
      }
      // Nine values of 4000 bytes count as nine: one, and eight for as many times 4096 bytes.
      let large = Dictionary(uniqueKeysWithValues: (0..<9).map { ("k\($0)", String(repeating: "x", count: 4000)) })
      #expect(try await host.error(of: .setAttributes(AttributeParams(set: large))) == nil)
      for index in 0..<10 { #expect(try await set("\(index)", by: host) == nil) }
      let refused = try await set("too much", by: host)
      #expect(refused?.code == .updateRoomFailed && refused?.message.contains("too many changes") == true)
      #expect(try await host.error(of: .seats(.set(SeatSwitches(index: 1, locked: true))))?.code == .updateRoomFailed)
      #expect(try await host.error(of: .seats(.listRequests)) == nil)
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="change_rate"}"#) == 2)
      let state = try await server.api("GET", "/v1/rooms/room/state").decoded(RoomSnapshot.self)
      #expect(state.attributes["key"] == "9")
      // Calls that are rejected for another reason are not counted, and each participant has its own rate limit.
      for _ in 0..<30 { #expect(try await set("x", by: guest)?.code == .noPermission) }
      #expect(try await guest.error(of: .publish(PublishParams(sdp: "", tracks: [])))?.code == .publishFailed)
      // The app's server has no limit.
      for index in 0..<30 {
        let body = #"{"set":{"key":"api\#(index)"}}"#
        #expect(try await server.api("POST", "/v1/rooms/room/calls/setAttributes", json: body).status == 200)
      }
    }
  }
}
