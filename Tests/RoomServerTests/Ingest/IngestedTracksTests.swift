import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Tracks of an RTMP encoder are tracks like any other")
struct IngestedTracksTests {
  private static let host: Grants = [.publish, .subscribe, .admin]

  @Test("the app's server is notified of their start and end, and not of a mix's")
  func webhooks() async throws {
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    try await WebhookTests.with(receiver) { server in
      let viewer = try await server.join("viewer")
      let encoder = try await RTMPPeer.start(.publish, server, "room?token=\(try server.token("camera"))", app: "room")
      encoder.send(LiveSample.metadata, LiveSample.audioHeader, LiveSample.videoHeader)
      func count(_ event: String) -> Int { receiver.events(of: "room").count { $0.event == event } }
      try await eventually("both tracks are reported") { count("trackPublished") == 2 }
      let job = #"{"jobId":"j","publishAs":"mix","layouts":[{"userId":"camera"}]}"#
      #expect(try await server.api("POST", "/v1/rooms/room/merge-jobs", json: job).status == 201)
      _ = try await viewer.event("the mix's track") {
        if case .published(let data) = $0, data.userId == "mix" { true } else { nil }
      }
      encoder.end()
      try await eventually("their end is reported") { count("trackUnpublished") == 2 }
      #expect(try await server.api("DELETE", "/v1/rooms/room/jobs/j").status == 204)
      #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      try await eventually("the room's end") { count("roomClosed") == 1 }
      #expect(count("trackPublished") == 2 && count("trackUnpublished") == 2)
    }
  }

  @Test("a muted seat mutes them, also after the encoder reconnects, and unmutes them when it is unmuted")
  func mutedSeat() async throws {
    try await TestServer.with { server in
      let viewer = try await server.join("viewer")
      let name = "room?token=\(try server.token("camera", grants: Self.host))"
      func muted(_ expected: Bool) async throws -> TrackID {
        try await viewer.event("a track that is muted: \(expected)") {
          if case .muteChanged(let data) = $0, data.userId == "camera", data.muted == expected { data.trackId } else { nil }
        }
      }
      func published() async throws -> TrackID? {
        try await viewer.event("a track") { if case .published(let data) = $0 { data } else { nil } }.tracks.first?.trackId
      }
      let first = try await RTMPPeer.start(.publish, server, name, app: "room")
      let mute = #"{"index":0,"muted":true}"#
      #expect(try await server.api("POST", "/v1/rooms/room/calls/setSeat", json: mute).status == 200)
      first.send(LiveSample.audioHeader)
      #expect(try await published() == (try await muted(true)))
      first.end()
      _ = try await viewer.event("its loss") {
        if case .connectionChanged(let data) = $0, !data.connected { true } else { nil }
      }
      let second = try await RTMPPeer.start(.publish, server, name, app: "room")
      second.send(LiveSample.audioHeader)
      let again = try await published()
      #expect(again == (try await muted(true)))
      let list = try await server.api("GET", "/v1/rooms/room/participants")
      #expect(String(decoding: list.body, as: UTF8.self).contains(#""muted":true"#))
      let unmute = #"{"index":0,"muted":false}"#
      #expect(try await server.api("POST", "/v1/rooms/room/calls/setSeat", json: unmute).status == 200)
      #expect(again == (try await muted(false)))
    }
  }
}
