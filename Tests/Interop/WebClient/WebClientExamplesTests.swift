import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The example pages of the web client", .timeLimit(.minutes(3)))
  struct WebClientExamplesTests {
    /// Opens an example as the server serves it.
    private func open(
      _ name: String, _ server: TestServer, _ user: UserID, room: RoomName, grants: Grants = [.publish, .subscribe, .admin]
    ) async throws -> BrowserPage {
      let token = try await server.token(user: user, room: room, grants: grants)
      let page = try await BrowserPage.open(in: .shared(), ownWindow: true)
      try await page.go(to: "\(server.http("/sdk/\(name).html"))?token=\(token)")
      return page
    }

    private func click(_ selector: String, in page: BrowserPage) async throws {
      let node = "document.querySelector('\(selector)')"
      try await page.wait(until: "\(node) && !\(node).disabled && !\(node).hidden && !\(node).closest('[hidden]')")
      let _: Bool = try await page.evaluate("(\(node).click(), true)")
    }

    private func reads(_ text: String, in page: BrowserPage, _ id: String = "state") async throws {
      try await page.wait(until: "document.getElementById('\(id)')?.textContent.includes('\(text)')")
    }

    private func close(_ pages: BrowserPage...) async throws {
      for page in pages {
        #expect(page.record.errors.isEmpty, "\(page.record.errors)")
        try await page.close()
      }
    }

    @Test("go-live.html publishes camera and microphone, goes live, mutes and ends") func live() async throws {
      try await withServer { server in
        let page = try await open("go-live", server, "anna", room: "demo", grants: [.publish, .subscribe, .admin, .relay])
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
        try await click("#live", in: page)
        try await reads("has ended: stopped", in: page)
        await viewer.leave()
        try await close(page)
      }
    }

    @Test("pk.html invites, accepts, shows the other anchor and the scores, and ends") func battle() async throws {
      try await withServer(adjust: { $0.rooms.audience = .separate }) { server in
        let red = try await open("pk", server, "red", room: "red")
        let blue = try await open("pk", server, "blue", room: "blue")
        for (page, name) in [(red, "red"), (blue, "blue")] { try await reads("You are \(name)", in: page) }
        let _: Bool = try await red.evaluate("(other.value = 'blue', true)")
        try await click("#invite button", in: red)
        try await reads("red of red invites you", in: blue, "asked")
        try await click("#accept", in: blue)
        for page in [red, blue] { try await page.wait(until: "theirs.videoWidth > 0 && theirs.currentTime > 0.5") }
        try await click("#gift", in: blue)
        try await reads("0 : 10 against blue", in: red, "score")
        try await click("#quit", in: red)
        for page in [red, blue] { try await reads("The PK has ended (quit)", in: page) }
        try await close(red, blue)
      }
    }

    @Test("voice-room.html: a listener asks for a seat, is accepted, speaks and writes") func voice() async throws {
      try await withServer { server in
        let host = try await open("voice-room", server, "host", room: "lounge")
        try await reads("You are host", in: host)
        let guest = try await open("voice-room", server, "guest", room: "lounge", grants: [.subscribe])
        try await reads("You are guest", in: guest)
        try await click("#ask", in: guest)
        try await click("#requests button", in: host)
        try await host.wait(until: "document.querySelectorAll('#seats li')[1]?.textContent === '2 guest'")
        // The browser's test microphone beeps.
        try await host.wait(until: "document.querySelectorAll('#seats li')[1].className === 'speaking'")
        let _: Bool = try await guest.evaluate("(text.value = '<i>hello</i>', true)")
        try await click("#say button", in: guest)
        try await reads("guest: <i>hello</i>", in: host, "chat")
        try await click("#leave", in: guest)
        try await reads("You left the seat (left).", in: guest)
        try await close(host, guest)
      }
    }
  }
}
