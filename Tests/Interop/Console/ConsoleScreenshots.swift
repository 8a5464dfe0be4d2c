import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

/// The folder for screenshots of the console; nil disables them.
private let folder = ProcessInfo.processInfo.environment["CONSOLE_SCREENSHOTS"].map {
  URL(filePath: $0, directoryHint: .isDirectory)
}

extension RealMedia {
  /// Takes screenshots of each view with live rooms, for a desktop and a phone, light and dark, in English and Chinese:
  /// `CONSOLE_SCREENSHOTS=/tmp/pictures swift test --filter ConsoleScreenshots`.
  @Suite("Screenshots of the console", .enabled(if: folder != nil))
  struct ConsoleScreenshots {
    /// A language of the page, and the people who use it.
    private struct Language {
      let name: String
      /// Sets the language of the page.
      let script: String
      let host: UserID
      let speaker: UserID
      let words: String
      let room: RoomName
    }

    private static let english = Language(
      name: "en", script: "", host: "maya", speaker: "amira", words: "Welcome, everybody!", room: "maya-live")
    private static let chinese = Language(
      name: "zh", script: ConsoleUser.inChinese, host: "ming", speaker: "lan", words: "两位加油!", room: "ming-live")
    private static let languages = [english, chinese]

    /// What a picture waits for: the page is laid out, all its pictures and videos are there, and no message lies over it.
    private static let isSettled = """
      new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
        [...document.images].every(each => each.complete) && document.fonts.status === 'loaded'
        && [...document.querySelectorAll('video')].every(each => !each.checkVisibility() || !each.srcObject || each.readyState >= 2)
        && !document.querySelector('.toast')))))
      """

    /// Takes screenshots of a page: desktop and phone, light and dark.
    private func shoot(_ page: any UserPage, _ what: String, _ language: Language, once ready: String = "true") async throws {
      let folder = try #require(folder)
      let page = try #require(page as? BrowserPage)
      try await page.front()
      try await page.showWithoutTransitions()
      for (screen, width, height, scale) in [("desk", 1440, 900, 1.0), ("phone", 390, 844, 2.0)] {
        for dark in [false, true] {
          try await page.show(width: width, height: height, scale: scale, mobile: screen == "phone", dark: dark)
          try await page.wait(until: "document.documentElement.clientWidth === \(width)")
          try await page.wait(until: ready, within: .seconds(60))
          try await page.wait(until: Self.isSettled, within: .seconds(60))
          let name = "\(what)-\(screen)-\(dark ? "dark" : "light")-\(language.name).jpg"
          try await page.picture(quality: 70).write(to: folder.appending(path: name))
        }
      }
      try await page.show(width: 1280, height: 800)
    }

    /// Whether an element of a selector is visible.
    private static func shows(_ selector: String) -> String {
      "document.querySelector(\"\(selector)\")?.checkVisibility() === true"
    }

    private func signIn(_ server: TestServer, _ language: Language, as name: UserID? = nil) async throws -> ConsoleUser {
      try await ConsoleUser.signIn(
        server, token: try server.apiToken(), in: .shared(), as: name?.rawValue, ownWindow: true, with: language.script)
    }

    private func prepare() throws {
      try FileManager.default.createDirectory(at: try #require(folder), withIntermediateDirectories: true)
    }

    @Test("sign-in, and the views of operators", .timeLimit(.minutes(10)))
    func operators() async throws {
      try prepare()
      let recordings = FileManager.default.temporaryDirectory.appending(path: "screenshots-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: recordings) }
      try await withServer(adjust: { $0.relay.recordings = .init(directory: recordings) }) { server in
        for room in ["all-hands", "design-review", "support-eu"] {
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#).status == 201)
        }
        // Before anybody is signed in: the tabs share their token.
        for language in Self.languages {
          let stranger = try await ConsoleUser.atSignIn(server, in: .shared(), ownWindow: true, with: language.script)
          try await shoot(stranger.page, "signin", language, once: Self.shows("#token"))
          try await stranger.page.close()
        }
        var people: [ConsoleUser] = []
        for name: UserID in ["maya", "jonas", "leo"] {
          let person = try await signIn(server, Self.english, as: name)
          try await person.go("rooms/design-review")
          try await person.join(as: name.rawValue)
          people.append(person)
        }
        let jobs =
          #"{"jobId":"live","userId":"maya","publishUrl":"rtmp://origin/live/design-review","record":"design-review.flv"}"#
        #expect(try await server.api("POST", "/v1/rooms/design-review/jobs", json: jobs).status == 201)
        for language in Self.languages {
          let admin = try await signIn(server, language)
          try await admin.go("rooms/design-review")
          try await admin.click(".stage [data-action=watch]")
          // Charts have a history by then.
          let lines = "[...document.querySelectorAll('.spark .line')]"
          try await admin.page.wait(
            until: "\(lines).some(line => (line.getAttribute('d') ?? '').split('L').length > 15)", within: .seconds(60))
          try await shoot(admin.page, "room", language, once: Self.shows("tr[data-kind=video]"))
          try await admin.click(".controls [data-action=leave]")
          for (view, landmark) in [
            ("rooms", "main [href='#/rooms/design-review']"), ("live", "main td"), ("recordings", "[data-recording]"),
            ("history", ".history-list li"), ("server", "main .card"), ("overview", ".wall-tile.on video"),
          ] {
            try await admin.go(view)
            // The wall plays what is in sight; on a phone it is below the charts.
            let scroll = "document.querySelector('.wall')?.scrollIntoView()"
            try await shoot(admin.page, view, language, once: "(\(scroll), \(Self.shows(landmark)))")
          }
          try await admin.page.close()
        }
        for person in people { try await person.page.close() }
      }
    }

    @Test("the live stage, sharing, a PK, a voice room and the watch page", .timeLimit(.minutes(10)))
    func shows() async throws {
      try prepare()
      try await withServer { server in
        var hosts: [ConsoleUser] = []
        for language in Self.languages {
          let room = #"{"name":"\#(language.room)","watch":{"public":true,"chat":true}}"#
          #expect(try await server.api("POST", "/v1/rooms", json: room).status == 201)
          let host = try await signIn(server, language, as: language.host)
          try await host.goLive(
            as: language.host.rawValue, room: language.room, url: "rtmp://origin/live/\(language.room)", camera: nil)
          try await host.sees(".on-air[data-phase=live]")
          hosts.append(host)
        }
        for (host, language) in zip(hosts, Self.languages) {
          try await host.type(language.words, into: "[data-chat=text]")
          try await host.click("[data-action=send]")
          try await shoot(host.page, "stage", language, once: Self.shows(".on-air[data-phase=live]"))
          try await host.click("[data-action=share]")
          try await shoot(host.page, "share", language, once: Self.shows("dialog[open] .qr"))
          try await host.page.press("Escape")
          try await host.seesNo("dialog[open]")
          let viewer = try await WatchUser.open(
            server.http("/watch/\(language.room)"), without: language.name == "zh" ? .textsInEnglish : .nothing)
          try await viewer.plays(by: "whep")
          try await shoot(viewer.page, "watch", language)
          try await viewer.page.close()
        }

        let (maya, ming) = (hosts[0], hosts[1])
        try await maya.page.front()
        try await maya.click("[data-action=invite-pk]")
        try await maya.choose(Self.chinese.room.rawValue, in: "#pk-room")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await ming.click("[data-action=accept-pk]")
        try await maya.watches("ming@ming-live")
        try await ming.watches("maya@maya-live")
        for _ in 0..<3 { try await maya.click("[data-action=score-10]") }
        for _ in 0..<2 { try await ming.click("[data-action=score-10]") }
        try await maya.click("[data-gift=crown]")
        for (host, language) in zip(hosts, Self.languages) {
          try await shoot(host.page, "pk", language, once: Self.shows(".tiles.pk"))
        }
        for host in hosts { try await host.page.close() }

        for language in Self.languages {
          let room = RoomName("\(language.speaker)-talk")
          let speaker = try await signIn(server, language, as: language.speaker)
          try await speaker.goLive(as: language.speaker.rawValue, room: room, url: "", audience: "voice", camera: nil)
          try await speaker.choose("gridSeven", in: "[data-action=layout]")
          let guest = try await Participant.join(server, room: room, as: "jonas", grants: [.publish, .subscribe])
          _ = try await guest.room.seats.take(2)
          try await guest.publish(video: nil, tone: 440)
          try await speaker.click(".seat[data-seat='4'] [data-action=lock-seat]")
          try await speaker.click(".seat[data-seat='5'] [data-action=mute-seat]")
          try await speaker.type(language.words, into: "[data-chat=text]")
          try await speaker.click("[data-action=send]")
          try await shoot(speaker.page, "voice", language, once: Self.shows(".person[data-user='jonas']"))
          try await speaker.page.close()
          await guest.leave()
        }
      }
    }
  }
}
