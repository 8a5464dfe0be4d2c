import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The player as an element of any page")
  struct PlayerElementTests {
    /// Opens a page of another origin than the servers' with a player for each of them.
    private static func open(_ sources: [String], script: String, in browser: some Browser) async throws -> WatchUser {
      // The same server by another name is another origin, and this document has no policy.
      let viewer = try await WatchUser.open(
        script.replacing("127.0.0.1", with: "localhost").replacing("/sdk/room-player.js", with: "/healthz"), in: browser)
      try await add(sources, script: script, to: viewer.page)
      return viewer
    }

    /// Loads the element, and adds a player for each URL.
    private static func add(_ sources: [String], script: String, to page: some WebPage) async throws {
      let _: Bool = try await page.evaluate(
        """
        import('\(script)').then(() => {
          for (const src of \(sources)) {
            const player = document.createElement('room-player')
            for (const [name, value] of Object.entries({ src, controls: '', muted: '' })) player.setAttribute(name, value)
            player.addEventListener('error', ({ error }) => { window.failure = error })
            document.body.append(player)
          }
          return true
        })
        """)
    }

    /// An expression for an element within a player.
    private static func part(_ selector: String) -> String { PageScript.find("room-player >> \(selector)") }

    @Test("a page of another origin plays rooms of two servers, each by its own connection, and ends them with the elements")
    func twoServers() async throws {
      try await withServer { first in
        try await withServer { second in
          var hosts: [Participant] = []
          for server in [first, second] {
            try await server.openRoom()
            let host = try await Participant.join(server, as: "host")
            try await host.publish(video: .vp8, tone: 440)
            hosts.append(host)
          }
          let viewer = try await Self.open(
            [first, second].map { $0.http("/watch/demo") }, script: first.http("/sdk/room-player.js"), in: Chromium.shared())
          // Another server's modules define no element again.
          let _: Bool = try await viewer.page.evaluate("import('\(second.http("/sdk/room-player.js"))').then(() => true)")
          try await viewer.page.wait(
            until: """
              [...document.querySelectorAll('room-player[state=playing][method=whep]')]
                .filter(each => each.shadowRoot.querySelector('video').getVideoPlaybackQuality().totalVideoFrames > 15).length === 2
              """)
          for server in [first, second] { #expect(try await server.metric("roomserver_viewers") == 1) }
          let _: Bool = try await viewer.page.evaluate(
            "(document.querySelectorAll('room-player').forEach(each => each.remove()), true)")
          for server in [first, second] {
            try await eventually("the session ends") { try await server.metric("roomserver_viewers") == 0 }
          }
          #expect(try await viewer.page.record.errors == [])
          try await viewer.page.close()
          for host in hosts { await host.leave() }
        }
      }
    }

    @Test("keys pause, mute and move between controls, which have names in the page's language, in its direction")
    func keyboard() async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)
        let viewer = try await WatchUser.open(server.http("/healthz"))
        let page = viewer.page
        let _: Bool = try await page.evaluate(
          "(Object.assign(document.documentElement, { lang: 'zh-Hans', dir: 'rtl' }), true)")
        try await Self.add([server.http("/watch/demo")], script: server.http("/sdk/room-player.js"), to: page)
        try await viewer.plays(by: "whep")
        try await viewer.reads("/点按开启声音/", in: "room-player >> .sound")
        let isRight: Bool = try await page.evaluate("\(Self.part(".sound")).getBoundingClientRect().left > innerWidth / 2")
        #expect(isRight)

        try await page.front()
        let _: Bool = try await page.evaluate("(document.querySelector('room-player').focus(), true)")
        try await page.press("m")
        try await page.wait(until: "!\(WatchUser.video).muted")
        try await page.press("k")
        try await page.wait(until: "document.querySelector('room-player').player.paused && \(WatchUser.video).paused")
        // The first control is the pause button, now that there is sound.
        try await page.press("Tab")
        let focused = "document.querySelector('room-player').shadowRoot.activeElement"
        try await page.wait(until: "\(focused)?.getAttribute('aria-label') === '播放'")
        try await page.press(" ")
        try await page.wait(until: "!document.querySelector('room-player').player.paused && !\(WatchUser.video).paused")
        try await page.wait(until: "\(focused)?.getAttribute('aria-label') === '暂停'")
        let unnamed: Int = try await page.evaluate(
          "[...\(Self.part(".bar")).querySelectorAll('button, input, select')].filter(each => !each.ariaLabel).length")
        #expect(unnamed == 0)
        try await page.close()
        await host.leave()
      }
    }

    @Test("a viewer whose user is kicked reads why, and plays again with a new token")
    func kicked() async throws {
      try await withServer { server in
        try await server.openRoom(watch: "{}")
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)
        let viewer = try await Self.open([], script: server.http("/sdk/room-player.js"), in: Chromium.shared())
        let token = try await server.token(user: "guest", grants: [.subscribe, .hidden])
        try await Self.add(
          [server.http("/watch/demo?token=\(token)")], script: server.http("/sdk/room-player.js"), to: viewer.page)
        try await viewer.plays(by: "whep")
        #expect(try await server.api("DELETE", "/v1/rooms/demo/participants/guest").status == 204)
        try await viewer.sees("refused")
        try await viewer.reads("/no longer valid.*removed/", in: "room-player >> .note")
        try await viewer.page.wait(until: "window.failure.reason === 'token' && /kicked/.test(window.failure.message)")
        let other = try await server.token(user: "guest-2", grants: [.subscribe, .hidden])
        let _: Bool = try await viewer.page.evaluate(
          "(document.querySelector('room-player').setAttribute('token', '\(other)'), true)")
        try await viewer.plays(by: "whep")
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("an address that is none of a player is a note and an event, never an exception")
    func wrongAddress() async throws {
      try await withServer { server in
        let viewer = try await Self.open(
          ["javascript:alert(1)"], script: server.http("/sdk/room-player.js"), in: Chromium.shared())
        try await viewer.reads("/can’t be played/", in: "room-player >> .note")
        try await viewer.page.wait(until: "window.failure instanceof Error")
        #expect(try await viewer.page.record.errors == [])
        try await viewer.page.close()
      }
    }

    @Test("a stream plays without its server's watch page")
    func stream() async throws {
      try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let stream = try await Self.open(
          [server.http("/live/demo.m3u8")], script: server.http("/sdk/room-player.js"), in: Chromium.shared())
        try await stream.plays(by: "hls")
        try await stream.page.close()

        await host.leave()
      }
    }

    @Test("WebKitGTK plays by the element in a page of another origin", .enabled(if: WebKit.isInstalled))
    func webKit() async throws {
      try await WebKit.run { browser in
        try await withServer { server in
          try await server.openRoom()
          let host = try await server.goLive()
          try await browser.go(to: server.http("/healthz").replacing("127.0.0.1", with: "localhost"))
          try await Self.add([server.http("/watch/demo")], script: server.http("/sdk/room-player.js"), to: browser)
          try await browser.plays("\(WatchUser.video)?.currentTime > 1 && document.querySelector('room-player[method]')")
          await host.leave()
        }
      }
    }
  }
}
