import RoomChromium
import RoomProtocol
import Testing

extension RealMedia {
  @Suite("The console's history")
  struct ConsoleHistoryTests {
    @Test("an operator finds a user's sessions and a room's events, goes back to older ones, and opens them by a link")
    func history() async throws {
      try await withServer { server in
        for index in 0..<120 {
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"r\#(index)"}"#).status == 201)
        }
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.go("rooms/demo")
        try await user.join(as: "alice")
        try await user.seesNo("dialog[open]")
        try await user.click(".controls [data-action=leave]")

        let rows = "[...document.querySelectorAll('.history-list li')]"
        try await user.go("history")
        try await user.sees("[data-tab=lives][aria-pressed=true]")
        try await user.click("[data-tab=sessions]")
        try await user.reads("/alice demo/", in: ".history-list")
        try await user.click("[data-tab=events]")
        try await user.choose("roomCreated", in: "#history-kind")
        let isCreated = "\(rows).length === 100 && \(rows).every(row => /Room created/.test(row.textContent))"
        try await user.page.wait(until: isCreated)
        try await user.click("[data-action=older]")
        try await user.page.wait(until: "document.querySelectorAll('.history-list li').length === 121")
        try await user.seesNo("[data-action=older]")
        let ids = "\(rows).map(row => Number(row.dataset.id))"
        #expect(try await user.page.evaluate("\(ids).every((id, index, all) => !index || id < all[index - 1])") as Bool)
        try await user.choose("r7", in: "#history-room")
        try await user.page.wait(until: "document.querySelectorAll('.history-list li').length === 1")
        #expect(try await user.page.evaluate("location.hash") as String == "#/history/events?room=r7&kind=roomCreated")

        // The link opens the same rows, also on a phone, where nothing is wider than the screen.
        try await user.chromium.show(width: 390, height: 844)
        try await user.go("rooms")
        try await user.go("history/events?room=r7&kind=roomCreated")
        try await user.reads("/Room created r7/", in: ".history-list")
        #expect(try await user.page.evaluate("document.querySelector('#history-room').value") as String == "r7")
        let wide = """
          [...document.querySelectorAll('.history, .history *, .tabs *')].filter(node => node.getBoundingClientRect().right > innerWidth + 1)
            .map(node => `${node.tagName}.${node.className}`).join(' ')
          """
        #expect(try await user.page.evaluate(wide) as String == "")
        let unnamed = """
          [...document.querySelectorAll('.history input, .history select, .history button')]
            .filter(node => !node.labels?.length && !node.textContent.trim() && !node.ariaLabel).length
          """
        #expect(try await user.page.evaluate(unnamed) as Int == 0)
        #expect(try await user.page.record.errors == [])
        try await user.page.close()
      }
    }
  }
}
