import RoomChromium
import RoomProtocol
import Testing

extension RealMedia {
  @Suite("The console and a draining server")
  struct ConsoleDrainTests {
    @Test("three servers may redirect to each other, and none from wss to ws")
    func redirects() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        let hops = """
          (async () => {
            const { Server, followed } = await import('/console/server.js')
            const asked = []
            const refused = async server => { asked.push(server.host); throw { redirect: `ws://s${asked.length}` } }
            await followed(new Server('ws://s0/v1/signal'), refused).catch(() => asked.push('refused'))
            return asked.join(' ')
          })()
          """
        #expect(try await user.page.evaluate(hops) as String == "s0 s1 s2 s3 refused")
        let named = """
          (async () => {
            const { Server } = await import('/console/server.js')
            const server = new Server('wss://a:1/v1/signal')
            const names = ['wss://b', 'wss://b:2/x/v1/signal?k=v', 'ws://b/v1/signal', 'https://b', 'wss://', '', undefined]
            return names.map(name => server.next(name)).map(next => next && `${next.signal} ${next.base}`).join('|')
          })()
          """
        #expect(
          try await user.page.evaluate(named) as String
            == "wss://b/v1/signal https://b|wss://b:2/x/v1/signal?k=v https://b:2/x|||||")
        try await user.page.close()
      }
    }

    @Test(
      "an operator drains a server in favour of another, and consoles move there: to create a room, to join, and from a room at its end"
    )
    func drained() async throws {
      try await withServer { next in
        try await withServer { server in
          let pages = [server.page, next.page]
          let chromium = try Chromium.shared()
          let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
          try await alice.click("[data-action=new-room]")
          try await alice.type("demo", into: "dialog[open] input")
          try await alice.click("dialog[open] [data-action=confirm]")
          try await alice.join(as: "alice")

          // Another operator sees earlier events and starts a drain.
          let bob = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
          try await bob.go("overview")
          try await bob.reads("/demo alice joined/", in: ".log")
          try await bob.go("server")
          try await bob.click("[data-action=drain]")
          try await bob.type("5", into: "#drain-minutes")
          try await bob.type(next.url, into: "#drain-redirect")
          try await bob.click("dialog[open] [data-action=confirm]")
          try await bob.reads("/is draining.*1 room, 1 participant.*are redirected to ws:/", in: ".drain p")
          // Cancelled and started again with the same values.
          try await bob.click("[data-action=end-drain]")
          try await bob.reads("/Accepts new clients/", in: ".drain p")
          let order = #"{"seconds":300,"redirect":"\#(next.url)"}"#
          #expect(try await server.api("POST", "/v1/server/drain", json: order).status == 202)
          try await bob.go("overview")
          try await bob.reads("/is draining/", in: "[data-notice=drain]")

          // A new room is created at the other server, and a user with a token for it joins there.
          try await bob.go("rooms/other")
          try await bob.click("[data-action=create-room]")
          try await bob.sees(".stage")
          try await bob.sees("[data-where]")
          let carol = try await ConsoleUser.signIn(
            server, token: try await server.token(user: "carol", room: "side", grants: [.subscribe]), in: chromium,
            ownWindow: true)
          try await carol.click("[data-action=watch]")
          try await carol.sees(".controls [data-action=leave]")
          #expect(try await next.metric("roomserver_participants") == 1)
          #expect(try await server.metric("roomserver_participants") == 1)

          // When her server stops, alice continues at the other one with her camera and is visible there.
          await server.stop()
          try await alice.sees("[data-where]")
          try await alice.sees(".controls [data-action=camera]:not(.off)")
          try await bob.go("rooms/demo")
          try await bob.reads("/demo/", in: "h1")
          try await bob.click(".stage [data-action=watch]")
          try await bob.watches("alice")

          for user in [alice, bob, carol] {
            let strange = try await user.page.record.requests.filter { request in
              !request.hasPrefix("data:") && !pages.contains { request.replacing("ws://", with: "http://").hasPrefix($0) }
            }
            #expect(strange == [])
            // Ignores requests that the first server rejected or no longer answered.
            let errors = try await user.page.record.errors.filter {
              !$0.contains("Failed to load resource") && !$0.contains("net::ERR_")
            }
            #expect(errors == [])
            try await user.page.close()
          }
        }
      }
    }
  }
}
