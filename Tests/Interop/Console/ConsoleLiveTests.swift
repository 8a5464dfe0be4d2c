import RoomChromium
import RoomProtocol
import RoomRelay
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// Going live in the console when something is missing or goes wrong.
  @Suite("Going live in the console")
  struct ConsoleLiveTests {
    private static let live = ".on-air[data-phase=live]"

    @Test("without camera and microphone the test picture goes live, under a name that no other tab has")
    func withoutDevices() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        var rooms: Set<String> = []
        for _ in 0..<2 {
          let user = try await ConsoleUser.signIn(
            server, token: try server.apiToken(), in: chromium, ownWindow: true, with: ConsoleUser.withoutDevices)
          try await user.click(".side [data-action=begin-live]")
          try await user.reads("/no camera.*test picture/i", in: "dialog[open]")
          try await user.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
          try await user.click("dialog[open] [data-action=confirm]")
          try await user.sees(Self.live)
          // A clock in the test picture is legible.
          try await user.sees(".tile:not(.without) video:not(.mirrored)")
          rooms.insert(try await user.page.evaluate("document.querySelector('h1').textContent"))
          try await user.reportsNoErrors()
        }
        #expect(rooms.count == 2)
        #expect(try await server.metric("roomserver_origin_streams") == 2)
      }
    }

    @Test("a room that is live is taken over only after a question, and who loses it keeps reading why")
    func takeover() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let hanna = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await hanna.goLive(as: "hanna", room: "party", url: "rtmp://origin/live/party")
        try await hanna.sees(Self.live)

        let harry = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await harry.click(".side [data-action=begin-live]")
        try await harry.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await harry.type("harry", into: "#join-name")
        try await harry.choose("party", in: "#live-room")
        try await harry.click("dialog[open] [data-action=confirm]")
        try await harry.reads("/“party” is live by hanna/", in: "dialog[open] .question")
        try await hanna.sees(Self.live)
        try await harry.click("dialog[open] [data-action=take-over]")
        try await harry.sees(Self.live)
        try await hanna.reads("/harry took over your live/", in: "[data-notice=live-ended]")
        try await hanna.reads("/harry/", in: ".seat[data-seat='0'] .seat-name")

        // The same name in a second tab: the first one is told why it left, and still is a minute later.
        let other = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await other.click(".side [data-action=begin-live]")
        try await other.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await other.type("harry", into: "#join-name")
        try await other.choose("party", in: "#live-room")
        try await other.click("dialog[open] [data-action=confirm]")
        try await other.reads("/your name is in “party”/", in: "dialog[open] .question")
        try await other.click("dialog[open] [data-action=take-over]")
        try await harry.reads("/another tab or on another device/", in: ".stage-farewell")
        for user in [hanna, harry, other] { try await user.page.close() }
      }
    }

    @Test("a stream that no server accepts is shown as not on air with the reason; a wrong URL is refused in the form")
    func failing() async throws {
      try await withServer(adjust: { $0.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"]) }) { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.click(".side [data-action=begin-live]")
        try await user.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await user.choose("void", in: "#live-room")
        try await user.click("dialog[open] summary")
        try await user.choose("http://127.0.0.1/live/void", in: "#live-url")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.page.wait(until: "/begins with rtmp/.test(document.querySelector('#live-url').validationMessage)")
        try await user.choose("rtmp://127.0.0.1:9/live/void", in: "#live-url")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.sees(".on-air[data-phase=failing]")
        try await user.reads("/Nothing goes out: .*refused/", in: ".on-air-reason")
        try await user.go("rooms")
        try await user.reads("/In void · Not on air/", in: ".side .in-call")
        try await user.sees(".side .in-call .dot.warn")
        try await user.page.close()
      }
    }

    @Test("the end of the API token does not end a live; a new one continues in place, and in other tabs")
    func expiry() async throws {
      try await withServer { server in
        let chromium = try Chromium()
        let user = try await ConsoleUser.signIn(
          server, token: try server.apiToken(expiresIn: 30), in: chromium, ownWindow: true)
        try await user.goLive(as: "maya", room: "long", url: "rtmp://origin/live/long")
        try await user.sees(Self.live)
        try await user.reads("/expires in \\d+ s/", in: "[data-notice=token]")
        try await user.reads("/has expired. You stay in the room/", in: "[data-notice=token]")
        try await user.sees(Self.live)
        // A lost connection resumes without the API token.
        try await user.disconnect()
        try await user.sees(".stage-notice")
        try await user.sees(".on-air[data-phase=failing]")
        try await user.reconnect()
        try await user.seesNo(".stage-notice")
        try await user.click("[data-action=renew]")
        try await user.type(try server.apiToken(), into: "#new-token")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.seesNo("[data-notice=token]")
        try await user.sees(Self.live)
        #expect(try await server.metric("roomserver_origin_streams") == 1)

        // A link that is opened in a new tab is signed in.
        let other = try await BrowserPage.open(in: chromium)
        try await other.go(to: "\(server.page)#/rooms/long")
        try await other.wait(until: "document.querySelector('h1')?.textContent === 'long'")
        try await other.close()
        try await user.page.close()
      }
    }

    @Test("a host with a room token goes live, learns that an operator ended it, goes live again, and ends it")
    func roomToken() async throws {
      try await withServer { server in
        let token = try await server.token(user: "host", room: "show", grants: [.publish, .subscribe, .admin, .relay])
        let host = try await ConsoleUser.signIn(server, token: token, in: .shared())
        try await host.seesNo(".people-card")
        try await host.reads("/Join to see who is here/", in: ".view-head .facts")
        try await host.click("[data-action=room-live]")
        try await host.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await host.click("dialog[open] [data-action=confirm]")
        try await host.sees(Self.live)
        #expect(try await server.api("DELETE", "/v1/streams/live/show").status == 204)
        try await host.reads("/operator ended your live/", in: "[data-notice=live-ended]")
        try await host.click("[data-action=live-again]")
        try await host.click("dialog[open] [data-action=confirm]")
        try await host.sees(Self.live)
        try await host.click(".controls [data-action=leave]")
        try await host.reads("/You are on air/", in: "dialog[open]")
        try await host.page.press("Escape")
        try await host.seesNo("dialog[open]")
        try await host.click(".side [aria-label='Sign out']")
        try await host.reads("/You are on air/", in: "dialog[open]")
        try await host.page.press("Escape")
        try await host.seesNo("dialog[open]")
        // The browser asks before it closes or reloads the tab.
        let closes = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        #expect(try await host.page.evaluate(closes) as Bool == false)
        try await host.click("[data-action=stage-live]")
        try await host.click("dialog[open] [data-action=confirm]")
        try await host.reads("/The live is over, after \\d/", in: "[data-notice=live-ended]")
        try await host.sees(".controls [data-action=leave]")
        #expect(try await host.page.evaluate(closes) as Bool)
        try await host.reportsNoErrors()
        try await host.page.close()
      }
    }
  }
}
