import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// A host whose only device is a keyboard, and a user with several tabs.
  @Suite("A host of the console: the keyboard alone, several tabs")
  struct ConsoleKeyboardTests {
    private static let live = ".on-air[data-phase=live]"

    @Test(
      "by keyboard: signing in, going live without a camera, accepting a PK, ending the live",
      arguments: BrowserKind.installed)
    func wholeLife(kind: BrowserKind) async throws {
      try await kind.withServer { try await wholeLife(on: $0, in: $1) }
    }

    private func wholeLife(on server: TestServer, in browser: any Browser) async throws {
      let opponent = try await Participant.join(server, room: "red", as: "leo", grants: [.publish, .subscribe, .admin])
      try await opponent.publish(video: .h264, tone: 440)
      let user = try await ConsoleUser.atSignIn(
        server, in: browser, ownWindow: true, with: ConsoleUser.withoutDevices)
      try await user.page.front()
      try await user.writes(try server.apiToken(), into: "#token")
      try await user.page.press("Enter")
      try await user.presses(on: ".side [data-action=begin-live]")
      try await user.reads("/no camera.*test picture/i", in: "dialog[open]")
      try await user.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
      try await user.writes("keys", into: "#live-room")
      try await user.presses(on: "dialog[open] [data-action=confirm]")
      try await user.sees(Self.live)

      #expect(try await server.api("POST", "/v1/rooms/red/calls/invitePK", json: #"{"room":"keys"}"#).status == 200)
      try await user.reads("/leo of red invites/", in: ".stage-over .waiting")
      try await user.presses(on: ".stage-over [data-action=accept-pk]")
      try await user.watches("leo@red")
      try await user.presses(on: "[data-action=score-10]")
      try await user.reads("/^10$/", in: ".score .own b")
      try await user.presses(on: "[data-action=quit-pk]")
      try await user.reads("/You won/", in: ".score-outcome")

      try await user.presses(on: ".controls [data-action=stage-live]")
      try await user.presses(on: "dialog[open] [data-action=confirm]")
      try await user.reads("/The live is over, after \\d/", in: "[data-notice=live-ended]")
      try await user.presses(on: ".controls [data-action=leave]")
      try await user.sees(".stage-outside")
      try await user.reportsNoErrors()
      try await user.page.close()
      await opponent.leave()
    }

    @Test("a second tab of one user has the first one's token; its Go live in the same room asks before it takes over")
    func tabs() async throws {
      try await withServer { server in
        let chromium = try Chromium()
        let first = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium)
        try await first.goLive(as: "maya", room: "party", url: "rtmp://origin/live/party")
        try await first.sees(Self.live)

        // The link of a room in a new tab: signed in, and not in the room.
        let second = try await ConsoleUser.openTab(server, at: "rooms/party", in: chromium)
        try await second.reads("/^party$/", in: "h1")
        try await second.sees(".stage-outside")
        try await second.click(".side [data-action=begin-live]")
        try await second.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await second.type("maya", into: "#join-name")
        try await second.choose("party", in: "#live-room")
        try await second.click("dialog[open] [data-action=confirm]")
        try await second.reads("/your name is in “party”/", in: "dialog[open] .question")
        // Until the answer the first tab stays on air.
        try await first.sees(Self.live)
        #expect(try await first.page.evaluate("document.querySelector('.stage-farewell').checkVisibility()") as Bool == false)
        try await second.click("dialog[open] [data-action=take-over]")
        try await second.sees(Self.live)
        try await first.reads("/another tab or on another device/", in: ".stage-farewell")
        #expect(try await server.metric("roomserver_origin_streams") == 1)

        // Signing out concerns one tab.
        try await first.click(".side [aria-label='Sign out']")
        try await first.sees(".gate")
        try await second.sees(Self.live)
        for user in [first, second] {
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }
  }
}
