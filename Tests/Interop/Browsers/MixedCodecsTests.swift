import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A room of many codecs", .enabled(if: Firefox.program != nil && LiveKitPeer.isInstalled))
  struct MixedCodecsTests {
    @Test("an encoder's H.264, Firefox without H.264, Chromium with VP9 and LiveKit's client all see each other")
    func allSeeAll() async throws {
      try await Firefox.run { firefox in
        try await withServer(adjust: Firefox.reach) { server in
          let token = try await server.token(user: "obs", grants: .publish)
          let encoder = try Encoder(to: try server.rtmp("room/demo?token=\(token)"))
          let fox = try await BrowserClient.open(on: firefox.page())
          try await fox.join(url: server.url, token: try await server.token(user: "firefox"))
          _ = try await fox.publish(video: .init(codec: "VP8"), audio: .init(frequency: 700))
          let chromium = try await BrowserClient.open()
          try await chromium.join(url: server.url, token: try await server.token(user: "chromium"))
          _ = try await chromium.publish(video: .init(codec: "VP9"), audio: .init(frequency: 900))
          let page = try await LiveKitPage(
            server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("page", room: "demo"))
          try await page.connect()
          try await page.publish(colour: "#d0c020")

          let users: [UserID] = ["obs", "firefox", "chromium", "page"]
          for (name, browser) in [("firefox", fox), ("chromium", chromium)] {
            try await eventually("\(name) sees all others", within: .seconds(60)) {
              let seen = try await browser.received().filter { $0.kind == .video && $0.framesDecoded > 5 }.map(\.userId)
              return users.allSatisfy { $0.rawValue == name || seen.contains($0) }
            }
          }
          try await eventually("LiveKit's page sees all others", within: .seconds(60)) {
            let seen = try await page.state()
            return users.allSatisfy { $0 == "page" || seen.frames(of: $0.rawValue) > 5 }
          }
          #expect(try await server.metric("roomserver_renditions_total") >= 1, "Firefox decodes no H.264")
          #expect(encoder.isRunning, "\(encoder.errors)")
        }
      }
    }
  }
}
