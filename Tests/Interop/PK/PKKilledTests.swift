import Foundation
import RoomPeers
import RoomClient
import RoomTestSupport
import Testing

/// Tests a PK in which one anchor disappears without leaving.
extension RealMedia {
  @Suite("PK with an anchor that is killed")
  struct PKKilledTests {
    @Test(
      "the other's stream continues with the last picture and then the background; after a restart the anchor is in the PK again",
      .timeLimit(.minutes(3)))
    func killed() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let source = try Anchors.source("red")
        let red = try await Anchors.live(server, "red", source)
        // The client guide's program, whose test pattern is blue.
        let token = try await Anchors.token(server, "blue")
        let start = {
          try Program(
            Program.built("client-guide"),
            ["live", "--url", server.url, "--token", token, "--preset", "low1", try server.rtmp("live/blue")])
        }
        var blue = try start()
        let viewers = try await Anchors.watch(server)
        try await red.pk.invite(in: "blue")
        try await eventually("the PK has started") { red.pk.current != nil }
        try await Anchors.areSeen(viewers, together: true)
        blue.stop()
        try await eventually("red knows that blue is gone") { red.pk.current?.peerConnected == false }
        // The last picture stays on screen for some seconds. `Seen.looks` ignores an empty half of less than 1.5 s.
        try await eventually("blue's half is empty for both") {
          try viewers[0].sees("red|none", for: 1.7) && viewers[1].sees("none|red", for: 1.7)
        }
        #expect(red.pk.current?.peerConnected == false)
        blue = try start()
        try await eventually("blue is back") { red.pk.current?.peerConnected == true }
        try await Anchors.areSeen(viewers, together: true, for: 2)
        try await red.pk.quit()
        try await Anchors.areSeen(viewers, together: false)
        for name in Anchors.names {
          #expect(try await server.api("DELETE", "/v1/rooms/\(name)/jobs/live").status / 100 == 2)
        }
        let others = try await viewers[0].seen()
        others.check(
          "red", ["red", "red|blue", "red|none", "red|blue", "red"], source, tones: ["red": 1000])
        // The client guide's tone: audible again after the return, and not afterwards.
        let heard = others.runs.map { others.hears(440, in: $0) }
        #expect(heard.map { $0.heard * 2 > $0.of }.suffix(3) == [false, true, false], "\(heard)")
        let seen = try await viewers[1].seen()
        #expect(seen.looks == ["blue", "blue|red", "none|red", "blue|red", "blue"])
        #expect(seen.recording.steps("video").allSatisfy { $0 > 0 })
        #expect(seen.recording.steps("audio").allSatisfy { $0 > 0.0225 && $0 < 0.0245 })
        blue.stop()
        await red.leave()
      }
    }
  }
}
