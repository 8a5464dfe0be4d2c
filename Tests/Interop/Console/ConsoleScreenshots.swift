import Foundation
import RoomProtocol
import Testing

/// The folder for screenshots of the console; nil disables them.
private let folder = ProcessInfo.processInfo.environment["CONSOLE_SCREENSHOTS"].map {
  URL(filePath: $0, directoryHint: .isDirectory)
}

extension RealMedia {
  /// Takes screenshots of the console with live rooms: `CONSOLE_SCREENSHOTS=/tmp/pictures swift test --filter
  /// ConsoleScreenshots`.
  @Suite("Screenshots of the console", .enabled(if: folder != nil))
  struct ConsoleScreenshots {
    private struct Screen {
      let name: String
      let width: Int
      let height: Int
      let scale: Double
    }

    private static let screens = [
      Screen(name: "desk", width: 1440, height: 900, scale: 1), Screen(name: "phone", width: 390, height: 844, scale: 2),
    ]

    /// Takes screenshots of a user's page: desktop and phone, light and dark.
    private func shoot(_ user: ConsoleUser, _ what: String) async throws {
      let folder = try #require(folder)
      try await user.page.front()
      for screen in Self.screens {
        for dark in [false, true] {
          try await user.page.show(
            width: screen.width, height: screen.height, scale: screen.scale, mobile: screen.name == "phone", dark: dark)
          // Views are laid out again, and need audio first.
          try await Task.sleep(for: .seconds(4))
          let name = "\(screen.name)-\(dark ? "dark" : "light")-\(what).jpg"
          try await user.page.picture(quality: 80).write(to: folder.appending(path: name))
        }
      }
      try await user.page.show(width: 1280, height: 800)
    }

    @Test("the watch page: desktop and phone, light, dark and Chinese", .timeLimit(.minutes(5)))
    func watch() async throws {
      let folder = try #require(folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await withServer { server in
        let room = #"{"name":"evening-talk","watch":{"public":true,"chat":true}}"#
        #expect(try await server.api("POST", "/v1/rooms", json: room).status == 201)
        let maya = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: .shared(), as: "maya", ownWindow: true)
        try await maya.goLive(as: "maya", room: "evening-talk", url: "rtmp://origin/live/evening-talk", camera: nil)
        let said = [("jonas", "Good evening from Bergen!"), ("amira", "Sound is great"), ("leo", "When is the next one?")]
        for (user, text) in said {
          let participant = try await Participant.join(server, room: "evening-talk", as: UserID(user))
          try await participant.room.messages.send(text)
          await participant.leave()
        }
        try await maya.click("[data-action=share]")
        try await maya.sees("dialog[open] .qr")
        try await Task.sleep(for: .seconds(1))
        try await maya.page.picture(quality: 80).write(to: folder.appending(path: "share.jpg"))
        try await maya.click("dialog[open] [aria-label=Close]")
        for (name, lack) in [("", WatchUser.Lack.nothing), ("-zh", .textsInEnglish)] {
          let viewer = try await WatchUser.open(server.http("/watch/evening-talk"), without: lack)
          try await viewer.plays(by: "whep")
          for screen in Self.screens {
            for dark in [false, true] {
              try await viewer.page.show(
                width: screen.width, height: screen.height, scale: screen.scale, mobile: screen.name == "phone", dark: dark)
              let _: Bool = try await viewer.page.evaluate(
                "document.querySelector('.screen').dispatchEvent(new PointerEvent('pointermove'))")
              try await Task.sleep(for: .seconds(1))
              let file = "watch-\(screen.name)-\(dark ? "dark" : "light")\(name).jpg"
              try await viewer.page.picture(quality: 80).write(to: folder.appending(path: file))
            }
          }
          try await viewer.page.close()
        }
        try await maya.page.close()
      }
    }

    @Test("desktop and phone, light and dark", .timeLimit(.minutes(10)))
    func take() async throws {
      try FileManager.default.createDirectory(at: try #require(folder), withIntermediateDirectories: true)
      try await withServer { server in
        var users: [ConsoleUser] = []
        for name in ["maya", "jonas", "amira", "leo"] {
          users.append(
            try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), as: name, ownWindow: true))
        }
        let (maya, jonas, amira, leo) = (users[0], users[1], users[2], users[3])

        // A meeting.
        for room in ["all-hands", "design-review", "support-eu"] {
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#).status == 201)
        }
        for (user, name) in zip(users, ["maya", "jonas", "amira", "leo"]) {
          try await user.go("rooms/design-review")
          try await user.join(as: name)
        }
        // So that charts have some history.
        try await Task.sleep(for: .seconds(45))
        try await shoot(leo, "room")
        try await leo.simulateThinNetwork(pausing: "maya", weak: "jonas")
        try await shoot(leo, "thin")
        try await leo.go("rooms")
        try await shoot(leo, "rooms")
        try await leo.go("server")
        try await shoot(leo, "server")
        for user in users { try await user.page.front() }
        try await leo.go("rooms/design-review")
        for user in users { try await user.click(".controls [data-action=leave]") }

        // A voice room.
        try await amira.goLive(as: "amira", room: "evening-talk", url: "", audience: "voice", camera: nil)
        try await amira.choose("gridSeven", in: "[data-action=layout]")
        try await jonas.go("rooms/evening-talk")
        try await jonas.listen(as: "jonas")
        try await jonas.click(".seat[data-seat='2'] [data-action=ask]")
        try await amira.click("[data-action=accept-request]")
        try await jonas.sees(".seat.mine")
        try await amira.click(".seat[data-seat='4'] [data-action=lock-seat]")
        try await amira.click(".seat[data-seat='5'] [data-action=mute-seat]")

        // A PK.
        try await maya.goLive(as: "maya", room: "maya", url: "rtmp://origin/live/maya", camera: nil)
        try await leo.goLive(as: "leo", room: "leo", url: "rtmp://origin/live/leo", camera: nil)
        try await maya.sees(".on-air[data-phase=live]")
        try await maya.click("[data-action=invite-pk]")
        try await maya.choose("leo", in: "#pk-room")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await leo.click("[data-action=accept-pk]")
        try await maya.watches("leo@leo")
        for _ in 0..<3 { try await maya.click("[data-action=score-10]") }
        for _ in 0..<2 { try await leo.click("[data-action=score-10]") }
        try await maya.type("Welcome, everybody!", into: "[data-chat=text]")
        try await maya.click("[data-action=send]")
        try await maya.click("[data-gift=crown]")
        try await shoot(maya, "pk")

        // The audience in a Chinese browser.
        let ming = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: .shared(), ownWindow: true, with: ConsoleUser.inChinese)
        try await ming.go("rooms/leo")
        try await ming.listen(as: "ming")
        try await ming.type("两位加油!", into: "[data-chat=text]")
        try await ming.click("[data-action=send]")
        try await shoot(ming, "audience-zh")
        try await ming.page.close()
        try await amira.type("The next one is yours, Jonas.", into: "[data-chat=text]")
        try await amira.click("[data-action=send]")
        try await shoot(amira, "voice")
        try await leo.go("overview")
        try await leo.sees(".wall-tile.on")
        // So that tiles show pictures.
        try await Task.sleep(for: .seconds(15))
        try await shoot(leo, "overview")
        for user in users { try await user.page.close() }
      }
    }
  }
}

extension ConsoleUser {
  /// Passes the page the events that a server sends on a thin network, and no others of their kind.
  fileprivate func simulateThinNetwork(pausing paused: UserID, weak: UserID) async throws {
    let _: Bool = try await page.evaluate(
      """
      (() => {
        const socket = sockets.at(-1), original = socket.onmessage
        const receive = (event, data) => original({ data: JSON.stringify({ event, data }) })
        // What this machine's own load causes would replace the events.
        socket.onmessage = message => { if (!/"event":"(streams|networkQuality)"/.test(message.data)) original(message) }
        const row = [...document.querySelectorAll('tr[data-kind=video]')].find(each => each.querySelector('b').textContent === '\(paused)')
        receive('streams', { streams: [{ trackId: row.dataset.track, state: 'paused', reason: 'bandwidth' }] })
        const people = [...document.querySelectorAll('.tile')].map(each => ({ userId: each.dataset.user, uplink: 'good', downlink: 'good' }))
        receive('networkQuality', { users: people })
        receive('networkQuality', { users: [
          { userId: '\(weak)', uplink: 'weak', downlink: 'good' },
          { userId: document.querySelector('.tile:has(video.mirrored)').dataset.user, uplink: 'good', downlink: 'bad' },
        ] })
        return true
      })()
      """)
  }
}
