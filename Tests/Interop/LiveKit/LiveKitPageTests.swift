import Foundation
import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  /// The page that LiveKit's Python package has for notebooks, with LiveKit's JavaScript SDK inside.
  @Suite("LiveKit's JavaScript SDK in Chromium, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitPageTests {
    /// Opens the page, which joins.
    func open(_ server: TestServer, as identity: String, room: String) async throws -> BrowserPage {
      let text = try LiveKitPeer.notebookPage.replacing(
        "##livekit-url-placeholder##", with: server.http("").replacing("http:", with: "ws:")
      )
      .replacing("##livekit-token-placeholder##", with: try server.liveKitToken(identity, room: room))
      let file = FileManager.default.temporaryDirectory.appending(path: "livekit-\(UUID().uuidString).html")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let page = try await BrowserPage.open(in: .shared())
      try await page.go(to: file.absoluteString)
      return page
    }

    private func pressMicrophone(in page: BrowserPage) async throws {
      let button = "document.querySelector('button[data-lk-source=microphone]')"
      try await page.wait(until: "\(button) !== null")
      let _: Bool = try await page.evaluate("(\(button).click(), true)")
    }

    @Test("a page joins, receives, publishes, mutes and leaves") func page() async throws {
      try await withServer { server in
        let bob = try LiveKitPeer(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("bob", room: "demo"))
        try await bob.reaches("bob is connected") { $0.connected }
        try bob.tell("publish audio")
        let page = try await open(server, as: "page", room: "demo")
        // The page shows no pictures.
        try await page.wait(until: "[...document.querySelectorAll('audio')].some(audio => audio.currentTime > 1)")
        try await pressMicrophone(in: page)
        func track(_ state: LiveKitPeer.State) -> LiveKitPeer.Track? { state.others["page"]?.track("KIND_AUDIO") }
        try await bob.reaches("bob hears the page") { track($0)?.subscribed == true && (track($0)?.energy ?? 0) > 0 }
        #expect(bob.state.flatMap(track)?.source == "SOURCE_MICROPHONE")
        // Pressed again, the button mutes.
        try await pressMicrophone(in: page)
        try await bob.reaches("bob sees the mute") { track($0)?.muted == true }
        let _: Bool = try await page.evaluate("(document.querySelector('.lk-disconnect-button').click(), true)")
        try await bob.reaches("bob is alone") { $0.others.isEmpty }
        try await page.close()
      }
    }
  }
}
