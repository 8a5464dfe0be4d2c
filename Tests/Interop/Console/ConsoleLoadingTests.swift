import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The code of the console's views")
  struct ConsoleLoadingTests {
    @Test("once the page has been idle, views that were never shown open without the server, and say that it does not answer")
    func withoutServer() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.sees("[data-action=new-room]")
        try await user.page.wait(until: "document.documentElement.dataset.views === 'loaded'")
        try await user.reportsNoErrors()
        await server.stop()
        for view in ["overview", "live", "recordings", "history", "server", "rooms/demo"] {
          try await user.go(view)
          try await user.sees("main h1")
          try await user.reads("/does not answer/", in: "main .problem")
        }
        let toasts: String = try await user.page.evaluate("document.querySelector('#toasts').textContent")
        #expect(toasts == "")
        #expect(try await user.page.record.errors.filter { !$0.contains("net::ERR_") } == [])
        try await user.page.close()
      }
    }

    @Test("a view whose code could not be loaded is loaded when it is opened again")
    func again() async throws {
      try await withServer { server in
        let never = "window.requestIdleCallback = () => 0"
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), with: never)
        try await user.sees("[data-action=new-room]")
        try await user.chromium.goOffline(true)
        let _: Bool = try await user.page.evaluate("(location.hash = '#/live', true)")
        try await user.sees("#toasts > *")
        try await user.chromium.goOffline(false)
        try await user.go("rooms")
        try await user.go("live")
        try await user.sees("[data-notice=no-streams]")
        try await user.page.close()
      }
    }
  }
}
