import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A room on several media workers")
  struct SpreadRoomTests {
    @Test(
      "browsers and apps at different workers receive each other, and layers follow what they select", .timeLimit(.minutes(3)))
    func together() async throws {
      try await withServer { configuration in
        configuration.media.workers = 3
        configuration.media.limits.roomTransportsPerWorker = 1
      } _: { server in
        let anchor = try await BrowserClient.open()
        try await anchor.join(url: server.url, token: try await server.token(user: "anchor"))
        let apps = try await [Participant.join(server, as: "app"), Participant.join(server, as: "guest")]
        let video = BrowserClient.Video(codec: "VP8", simulcast: true, width: 960, height: 540)
        let track = try #require(try await anchor.publish(video: video).first)
        for (app, tone) in zip(apps, [400.0, 600]) { try await app.publish(video: .h264, tone: tone) }
        for app in apps {
          try await eventually("\(app.user) sees the anchor") { app.pictures(of: "anchor").decoded >= 15 }
        }
        try await eventually("app hears guest") { apps[0].sound(of: "guest").hears(600) }
        try await eventually("guest sees app") { apps[1].pictures(of: "app").decoded >= 15 }
        try await eventually("the anchor sees both") {
          try await anchor.received().filter { $0.kind == .video && $0.framesDecoded >= 15 }.count == 2
        }

        let viewer = try await BrowserClient.open()
        try await viewer.join(url: server.url, token: try await server.token(user: "viewer"))
        func heights() async throws -> [Int] { try await viewer.received().filter { $0.kind == .video }.map(\.height) }
        try await eventually("the viewer sees the largest layer") { try await heights().contains(540) }
        try await viewer.request(
          "setReception", ReceptionParams(tracks: [TrackReception(trackId: TrackID(track), maxHeight: 135)]))
        try await eventually("the viewer sees the smallest") {
          let heights = try await heights()
          return heights.contains(135) && !heights.contains(540)
        }
        #expect(try await server.metric("roomserver_media_rtp_linked_total") > 100)
        for browser in [anchor, viewer] { try await browser.close() }
        for app in apps { await app.leave() }
        try await eventually("nothing is left") { try await server.isEmpty() }
      }
    }
  }
}
