import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The example pages of the web client", .timeLimit(.minutes(3)))
  struct WebClientExamplesTests {
    /// A server, and the browser in which its example pages are open.
    private struct Examples {
      let server: TestServer
      let browser: any Browser

      /// Opens an example as the server serves it.
      func open(
        _ name: String, _ user: UserID, room: RoomName, grants: Grants = [.publish, .subscribe, .admin]
      ) async throws -> any UserPage {
        let token = try await server.token(user: user, room: room, grants: grants)
        let page = try await browser.open(script: "", ownWindow: true)
        try await page.go(to: "\(server.http("/sdk/\(name).html"))?token=\(token)")
        return page
      }

      func click(_ selector: String, in page: any UserPage) async throws {
        let node = "document.querySelector('\(selector)')"
        try await page.wait(until: "\(node) && !\(node).disabled && !\(node).hidden && !\(node).closest('[hidden]')")
        let _: Bool = try await page.evaluate("(\(node).click(), true)")
      }

      func reads(_ text: String, in page: any UserPage, _ id: String = "state") async throws {
        try await page.wait(until: "document.getElementById('\(id)')?.textContent.includes('\(text)')")
      }

      /// Waits until an expression of a part of the stage is true: `tile?.textContent`.
      func stage(_ selector: String, _ fits: String, in page: any UserPage) async throws {
        try await page.wait(until: "(part => \(fits))(\(PageScript.find("room-stage >> \(selector)")))")
      }

      func close(_ pages: any UserPage...) async throws {
        for page in pages {
          // Firefox asks for an icon that the page does not name, and refuses it itself.
          let errors = try await page.record.errors.filter { !$0.hasSuffix("/favicon.ico") }
          #expect(errors.isEmpty, "\(errors)")
          try await page.close()
        }
      }

      func live() async throws {
        let page = try await open("go-live", "anna", room: "demo", grants: [.publish, .subscribe, .admin, .relay])
        let viewer = try await Participant.join(server, room: "demo", as: "viewer")
        try await eventually("the camera is seen", within: .seconds(30)) { viewer.pictures(of: "anna").decoded > 5 }
        try await click("#live", in: page)
        try await reads("You are live.", in: page)
        #expect(try await server.metric("roomserver_origin_streams") == 1)
        try await click("#microphone", in: page)
        try await reads("Microphone on", in: page, "microphone")
        try await eventually("the microphone is muted") {
          viewer.room.participants.first { $0.userId == "anna" }?.tracks.first { $0.kind == .audio }?.muted == true
        }
        // Its device is off meanwhile.
        try await click("#camera", in: page)
        try await page.wait(until: "document.getElementById('preview').srcObject === null")
        try await reads("Camera on", in: page, "camera")
        let seen = viewer.pictures(of: "anna").decoded
        try await click("#camera", in: page)
        try await reads("Camera off", in: page, "camera")
        try await eventually("the camera is seen again", within: .seconds(30)) {
          viewer.pictures(of: "anna").decoded > seen + 10
        }
        try await click("#live", in: page)
        try await reads("has ended: stopped", in: page)
        await viewer.leave()
        try await close(page)
      }

      func battle() async throws {
        let red = try await open("pk", "red", room: "red")
        let blue = try await open("pk", "blue", room: "blue")
        for (page, name) in [(red, "red"), (blue, "blue")] { try await reads("You are \(name)", in: page) }
        let _: Bool = try await red.evaluate("(document.getElementById('other').value = 'blue', true)")
        try await click("#invite button", in: red)
        try await reads("red of red invites you", in: blue, "asked")
        try await click("#accept", in: blue)
        for (page, other) in [(red, "blue"), (blue, "red")] {
          let picture = "[data-user=\"\(other)@\(other)\"] video"
          try await stage(picture, "part?.videoWidth > 0 && part.currentTime > 0.5", in: page)
        }
        try await click("#gift", in: blue)
        try await stage("[part~=peer-score]", "part.textContent === '10'", in: red)
        try await stage("[part=clock]", "/^[45]:[0-5][0-9]$/.test(part.textContent)", in: red)
        try await click("#quit", in: red)
        for page in [red, blue] { try await reads("The PK has ended (quit)", in: page) }
        try await close(red, blue)
      }

      func voice() async throws {
        let host = try await open("voice-room", "host", room: "lounge")
        try await reads("You are host", in: host)
        let guest = try await open("voice-room", "guest", room: "lounge", grants: [.subscribe])
        try await reads("You are guest", in: guest)
        try await click("#ask", in: guest)
        try await click("#requests button", in: host)
        // The browser's test microphone beeps.
        try await stage("[data-user=guest]", "part?.classList.contains('speaking')", in: host)
        let _: Bool = try await guest.evaluate("(document.getElementById('text').value = '<i>hello</i>', true)")
        try await click("#say button", in: guest)
        try await reads("guest: <i>hello</i>", in: host, "chat")
        try await click("#leave", in: guest)
        try await reads("You left the seat (left).", in: guest)
        try await stage("[data-user=guest]", "!part", in: host)
        try await close(host, guest)
      }

      func audience() async throws {
        let opened = try await server.api("POST", "/v1/rooms", json: #"{"name":"open","watch":{"public":true,"chat":true}}"#)
        #expect(opened.status == 201)
        let host = try await Participant.join(server, room: "open", as: "host")
        try await host.publish(video: .vp8, tone: 440)
        let viewer = try await WatchUser.open(server.http("/sdk/audience.html?room=open"), in: browser)
        try await viewer.plays(by: "whep")
        let text = #"{"kind":"text","text":"<b>hello</b>"}"#
        #expect(try await server.api("POST", "/v1/rooms/open/calls/sendMessage", json: text).status == 200)
        try await viewer.reads("/<b>hello<.b>/", in: "ol")
        try await viewer.reads("/Viewers: [12]/", in: "#viewers")
        try await close(viewer.page)
        await host.leave()
      }
    }

    @Test(
      "go-live.html goes live and mutes, pk.html has a PK, voice-room.html a guest who speaks and writes, audience.html a viewer",
      arguments: BrowserKind.installed)
    func examples(kind: BrowserKind) async throws {
      try await kind.withServer(adjust: { $0.rooms.audience = .separate }) { server, browser in
        let examples = Examples(server: server, browser: browser)
        try await examples.live()
        try await examples.battle()
        try await examples.voice()
        try await examples.audience()
      }
    }

    @Test("the first page of docs/client-web.md shows two users each other")
    func firstPage() async throws {
      let text = try #require(Page("docs/client-web.md", language: "html").blocks.first).text
      try await withServer { server in
        let file = try ClientPage.file(text.replacing("http://127.0.0.1:8080", with: server.http("")))
        defer { try? FileManager.default.removeItem(at: file) }
        var pages: [BrowserPage] = []
        for user in ["ann", "bob"] {
          let page = try await BrowserPage.open(in: .shared(), ownWindow: true)
          try await page.go(to: "\(file.absoluteString)?token=\(try await server.token(user: UserID(user)))")
          try await page.wait(until: "document.getElementById('join')?.onclick")
          let _: Bool = try await page.evaluate("(document.getElementById('join').click(), true)")
          pages.append(page)
        }
        for page in pages {
          try await page.wait(until: "document.querySelector('#pictures video')?.currentTime > 0.5")
          #expect(page.record.errors.isEmpty, "\(page.record.errors)")
          try await page.close()
        }
      }
    }
  }
}
