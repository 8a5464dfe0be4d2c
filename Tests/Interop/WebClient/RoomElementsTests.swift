import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The web client's elements of a room", .timeLimit(.minutes(3)))
  struct RoomElementsTests {
    private func part(_ element: String, _ selector: String) -> String {
      "document.querySelector('\(element)').shadowRoot.querySelector('\(selector)')"
    }

    @Test("seats are taken and left, messages are read and written as text, and a removed element listens no more")
    func room() async throws {
      try await withServer { server in
        let host = try await Participant.join(server, as: "host", grants: [.publish, .subscribe, .admin])
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "ann", grants: [.publish, .subscribe])
        #expect(try await page.join(server.http(""), token) == "joined")
        try await page.run(
          """
          await import('\(server.http("/sdk/room-elements.js"))')
          for (const name of ['room-seats', 'room-chat']) {
            const element = document.createElement(name)
            element.lang = 'zh'
            element.room = room
            element.addEventListener('error', ({ error }) => errors.push(String(error.code)))
            document.body.append(element)
          }
          return true
          """)
        try await host.room.messages.send("<b>hello</b>")
        try await page.page.wait(until: "\(part("room-chat", "[part=text]"))?.textContent === '<b>hello</b>'")
        try await page.run(
          """
          \(part("room-chat", "input")).value = 'hi'
          \(part("room-chat", "form")).requestSubmit()
          \(part("room-seats", "button")).click()
          return true
          """)
        try await eventually("the host reads it") {
          host.room.messages.history.contains { $0.text == "hi" && $0.userId == "ann" }
        }
        try await eventually("ann has a seat") { host.room.seats.all.contains { $0.userId == "ann" } }
        try await page.page.wait(until: "\(part("room-seats", "button"))?.textContent === '下麦'")
        try await page.run("\(part("room-seats", "button")).click(); return true")
        try await eventually("the seat is free") { !host.room.seats.all.contains { $0.userId == "ann" } }

        try await page.run("window.removed = document.querySelector('room-chat'); removed.remove(); return true")
        try await host.room.messages.send("later")
        try await page.page.wait(until: "room.messages.history.some(({ text }) => text === 'later')")
        let lines: Int = try await page.page.evaluate("removed.shadowRoot.querySelectorAll('li').length")
        #expect(lines == 2)
        let errors: [String] = try await page.page.evaluate("errors")
        #expect(errors == [])
        try await page.page.close()
        await host.leave()
      }
    }
  }
}
