import RoomPeers
import RoomTestSupport
import Testing

@Suite("One number of viewers")
struct AudienceTests {
  private struct Page: Decodable {
    struct Room: Decodable { var viewers: Int }
    var rooms: [Room]
  }
  private struct Detail: Decodable {
    var viewers: Int
  }
  private struct State: Decodable { var viewers: Int? }

  @Test("who watches by WHEP, as a silent participant, by FLV, HLS and RTMP counts once, and equally everywhere")
  func everyKind() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
      $0.rooms.watch.isPublic = true
    } _: { server in
      let host = try await server.join("host", room: "room", autoSubscribe: false)
      _ = try await host.publish(.opus)
      let encoder = try await RTMPPeer.start(.publish, server, "room")
      encoder.sendBeginning()
      for time in stride(from: UInt32(40), to: 4000, by: 40) {
        encoder.send(LiveSample.video(time, isKeyFrame: time % 1000 == 0), LiveSample.audio(time + 1))
      }
      try await eventually("the stream is there") { try await server.streams().contains("h264") }

      func shows(_ count: Int) async throws -> Bool {
        let list: Page = try await server.api("GET", "/v1/rooms").decoded()
        let detail: Detail = try await server.api("GET", "/v1/rooms/room").decoded()
        let page: State = try await server.http("GET", "/v1/watch/room").decoded()
        let metric = try await server.metric("roomserver_viewers")
        return list.rooms.first?.viewers == count && detail.viewers == count && page.viewers == count && metric == count
      }
      #expect(try await shows(0), "a publisher is no viewer")
      let fan = try server.token("fan", room: "room", grants: [.subscribe])
      #expect(try await server.post("/whep/room", fan, HTTPOffer.view(.opus)).status == 201)
      try await eventually("WHEP counts") { try await shows(1) }
      _ = try await server.join("guest", room: "room", autoSubscribe: false)
      try await eventually("a silent participant counts") { try await shows(2) }
      let wire = try await Wire.connect(port: server.server.port)
      wire.send("GET /live/room.flv HTTP/1.0\r\n\r\n")
      #expect(try await wire.response().status == 200)
      try await eventually("HTTP-FLV counts") { try await shows(3) }
      #expect(try await server.request("GET", "/live/room.m3u8").status == 200)
      try await eventually("HLS counts") { try await shows(4) }
      let player = try await RTMPPeer.start(.play, server, "room")
      try await eventually("RTMP counts") { try await shows(5) }
      player.end()
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/guest").status == 204)
      try await eventually("they leave") { try await shows(3) }
      encoder.end()
    }
  }
}
