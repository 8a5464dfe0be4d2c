import Foundation
import RoomChromium
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Many rooms, as operators see them.
  @Suite("Lists in the console")
  struct ConsoleListTests {
    private static let all = 120

    /// Creates rooms: every tenth is a voice room.
    private func makeRooms(_ count: Int = Self.all, on server: TestServer) async throws {
      for number in 0..<count {
        let kind = number % 10 == 0 ? #","audience":"voice""# : ""
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room-\#(number + 100)"\#(kind)}"#).status == 201)
      }
    }

    private func rows(_ user: ConsoleUser) async throws -> [String] {
      try await user.page.evaluate("[...document.querySelectorAll('tr[data-room]')].map(row => row.dataset.room)")
    }

    private func isFocused(_ selector: String) -> String { "document.activeElement.matches(\"\(selector)\")" }

    /// Presses Tab until the focus is on an element of a selector.
    private func tab(to selector: String, _ user: ConsoleUser) async throws {
      for _ in 0..<200 {
        if try await user.page.evaluate(isFocused(selector)) as Bool { return }
        try await user.page.press("Tab")
      }
      Issue.record("the keyboard does not reach \(selector)")
    }

    @Test("120 rooms are searched, filtered, sorted and paged with the keyboard alone, and the address keeps the choice")
    func keyboard() async throws {
      try await withServer { server in
        try await makeRooms(on: server)
        let ann = try await Room.connect(to: server.url, token: try await server.token(user: "ann", room: "room-177"))
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.page.front()
        // The most active room comes first.
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 50")
        #expect(try await rows(user).prefix(2) == ["room-177", "room-100"])
        try await user.reads("/^120 rooms/", in: ".facts")

        // More: the focus is at the first new room.
        try await tab(to: "[data-action=more]", user)
        try await user.page.press("Enter")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 100")
        try await user.page.wait(until: isFocused("tr[data-room='room-149'] a"))
        try await tab(to: "[data-action=more]", user)
        try await user.page.press("Enter")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 120")
        try await user.seesNo("[data-action=more]")
        #expect(Set(try await rows(user)).count == 120)

        // Search by a user, who is in a room of another name, then by name.
        try await user.go("rooms?q=ann")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 1")
        #expect(try await rows(user) == ["room-177"])
        try await user.go("rooms")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 50")
        try await tab(to: "[data-list=search]", user)
        try await user.page.insert("ROOM-19")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 10")
        try await user.page.wait(until: "location.hash === '#/rooms?q=ROOM-19'")

        // Filter, and sort.
        try await tab(to: "[data-filter=voice]", user)
        try await user.page.press("Enter")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 1")
        #expect(try await rows(user) == ["room-190"])
        try await user.reads("/Voice/", in: "tr[data-room=room-190] .state")
        try await tab(to: "[data-list=order]", user)
        for _ in 0..<2 { try await user.page.press("ArrowDown") }
        try await user.page.wait(until: "location.hash === '#/rooms?q=ROOM-19&state=voice&sort=created'")

        // A link, or a reload, shows the same.
        try await user.page.wait(until: "(window.isOld = true, location.reload(), true)")
        try await user.page.wait(
          until:
            "!window.isOld && document.querySelector('tr[data-room=room-190]') && document.querySelector('[data-list=order]').value === 'created'"
        )
        #expect(try await rows(user) == ["room-190"])

        // Nothing matches: back to all, newest first.
        try await tab(to: "[data-list=search]", user)
        try await user.page.insert("zzz")
        try await tab(to: "[data-action=clear]", user)
        try await user.page.press("Enter")
        try await user.page.wait(until: "document.querySelectorAll('tr[data-room]').length === 50")
        try await user.page.wait(until: "document.querySelector('tr[data-room]').dataset.room === 'room-219'")
        try await user.page.wait(until: isFocused("[data-list=search]"))
        try await user.reportsNoErrors()
        await ann.leave()
        try await user.page.close()
      }
    }

    @Test("the overview makes one request for all rooms in each turn, shows figures first, and at most 60 tiles")
    func requests() async throws {
      try await withServer { server in
        try await makeRooms(on: server)
        let ann = try await Room.connect(to: server.url, token: try await server.token(user: "ann", room: "room-177"))
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.go("overview")
        try await user.page.wait(until: "document.querySelectorAll('.wall-tile').length === 60")
        #expect(try await user.page.evaluate("document.querySelector('.wall-tile').dataset.room") == "room-177")
        try await user.reads("/All 120 rooms/", in: "[data-action=all-rooms]")
        try await user.reads("/^120 rooms · 1 participant/", in: ".facts")
        let isBelow =
          "document.querySelector('.chart').getBoundingClientRect().bottom < document.querySelector('.wall').getBoundingClientRect().top"
        #expect(try await user.page.evaluate(isBelow) as Bool)

        func counts() async throws -> (turns: Int, lists: Int, others: [String]) {
          let requests = try await user.page.record.requests.filter { $0.contains("/v1/") }
          let lists = requests.filter { $0.contains("/v1/rooms?") }
          return (
            requests.count { $0.hasSuffix("/v1/server/drain") }, lists.count { $0.contains("sort=live&limit=60") },
            requests.filter { $0.contains("/v1/rooms/") }
          )
        }
        let before = try await counts()
        try await eventually("five turns") { try await counts().turns >= before.turns + 5 }
        let after = try await counts()
        #expect(abs((after.lists - before.lists) - (after.turns - before.turns)) <= 1)
        #expect(after.others == [], "no room is asked on its own")
        try await user.reportsNoErrors()
        await ann.leave()
        try await user.page.close()
      }
    }

    @Test("while the server does not answer, the views say as of when they are, and are dimmed")
    func outage() async throws {
      try await withServer { server in
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"studio"}"#).status == 201)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        // The list of rooms is shown first.
        for (view, row) in [("", "tr[data-room]"), ("overview", ".wall-tile"), ("live", "[data-notice=no-streams]")] {
          if !view.isEmpty { try await user.go(view) }
          try await user.sees(row)
          try await user.seesNo("[data-notice=stale]")
          let cut = "(window.real ??= fetch, window.fetch = async () => { throw new TypeError('no network') }, true)"
          let _: Bool = try await user.page.evaluate(cut)
          try await user.reads("/does not answer.*as of \\d\\d:\\d\\d/", in: ".problem")
          try await user.page.wait(until: "getComputedStyle(document.querySelector('.stale')).opacity < 0.9")
          let _: Bool = try await user.page.evaluate("(window.fetch = window.real, true)")
          try await user.seesNo("[data-notice=stale]")
          try await user.page.wait(until: "!document.querySelector('.stale')")
        }
        try await user.page.close()
      }
    }

    @Test("while nothing is live, the list shows where encoders publish: by RTMP, and by SRT if it is on")
    func addresses() async throws {
      for isOn in [false, true] {
        try await withServer(adjust: { $0.origin.srt.listens = isOn }) { server in
          let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
          try await user.go("live")
          let stream = "live/{stream}?token=…"
          let addresses = try [server.rtmp(stream)] + (isOn ? [server.srt(stream)] : [])
          let shown = "[...document.querySelectorAll('[data-notice=no-streams] code')].map(each => each.textContent).join(' ')"
          try await user.page.wait(until: "\(shown) === '\(addresses.joined(separator: " "))'")
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }

    @Test("no page scrolls sideways on a tablet") func widths() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.goLive(
          as: "maya", room: "a-room-with-quite-a-long-name", url: "rtmp://origin/live/a-room-with-quite-a-long-name")
        try await user.sees(".on-air[data-phase=live]")
        let views = [
          ("overview", ".wall-tile"), ("rooms", "tr[data-room]"), ("live", "tr[data-stream]"), ("server", ".figures"),
        ]
        for (view, content) in views {
          try await user.chromium.show(width: 1280, height: 800)
          try await user.go(view)
          try await user.sees(content)
          for width in [390, 768, 820, 900, 1024, 1100, 1150, 1440] {
            try await user.chromium.show(width: width, height: 800)
            try await user.page.wait(until: "innerWidth === \(width)")
            let wide: Int = try await user.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
            #expect(wide <= 0, "\(view) at \(width)")
            guard view == "rooms" || view == "live" else { continue }
            // What one acts with is on the screen.
            let right: Double = try await user.page.evaluate(
              "Math.max(...[...document.querySelectorAll('td.tight button')].map(each => each.getBoundingClientRect().right))")
            #expect(right > 0 && right <= Double(width), "\(view) at \(width)")
          }
        }
        try await user.page.close()
      }
    }

    @Test(
      "in a PK each tile shows its room's own anchor, the overviews of operators are no viewers, and a drain counts the lives")
    func anchors() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let maya = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        let leo = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        for room in ["red", "blue"] {
          let small =
            #"{"width":320,"height":240,"fps":12,"videoKbps":300,"preset":"ultrafast","own":{"x":0,"y":0,"width":160,"height":240},"peer":{"x":160,"y":0,"width":160,"height":240}}"#
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)","pk":\#(small)}"#).status == 201)
        }
        try await maya.goLive(as: "maya", room: "red", url: "rtmp://origin/live/red")
        try await leo.goLive(as: "leo", room: "blue", url: "rtmp://origin/live/blue")
        for user in [maya, leo] { try await user.sees(".on-air[data-phase=live]") }
        try await maya.click("[data-action=invite-pk]")
        try await maya.choose("blue", in: "#pk-room")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await leo.click("[data-action=accept-pk]")
        try await maya.watches("leo@blue")

        let operators = [
          try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true),
          try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true),
        ]
        for user in operators {
          try await user.go("overview")
          for (room, anchor) in [("red", "maya"), ("blue", "leo")] {
            try await user.plays(".wall-tile[data-room=\(room)].on video")
            try await user.sees(".wall-tile[data-room=\(room)][data-user=\(anchor)]")
            #expect(try await user.page.record.requests.contains { $0.hasSuffix("/whep/\(room)/\(anchor)") })
            try await user.reads("/PK with \(room == "red" ? "blue" : "red")/", in: ".wall-tile[data-room=\(room)]")
            try await user.reads("/Live for/", in: ".wall-tile[data-room=\(room)]")
          }
          try await user.seesNo(".wall-mark.viewers")
        }
        let text = String(decoding: try await server.api("GET", "/v1/server/drain").body, as: UTF8.self)
        #expect(text.contains(#""streams":2"#) && text.contains(#""viewers":0"#), "\(text)")

        // The filters of both lists.
        try await operators[0].go("rooms?state=pk")
        try await operators[0].page.wait(until: "document.querySelectorAll('tr[data-room]').length === 2")
        try await operators[0].go("live?state=pk&q=blue")
        try await operators[0].sees("tr[data-stream='live/blue']")
        #expect(try await operators[0].page.evaluate("document.querySelectorAll('tr[data-stream]').length") as Int == 1)
        try await operators[0].click("[data-filter=encoders]")
        try await operators[0].sees("[data-notice=no-match]")
        for user in [maya, leo] + operators { try await user.page.close() }
      }
    }

    @Test("the tile of a voice room shows who speaks")
    func voice() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let amira = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await amira.goLive(as: "amira", room: "voices", url: "", audience: "voice", camera: nil)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await user.go("overview")
        if try await amira.page.evaluate("Boolean(document.querySelector('.controls [data-action=camera]:not(.off)'))") as Bool
        {
          try await amira.click(".controls [data-action=camera]")
        }
        try await user.sees(".wall-tile[data-room=voices]:not(.on) .avatar")
        try await user.reads("/Voice/", in: ".wall-tile[data-room=voices] .wall-marks")
        // The fake microphone beeps once a second.
        try await user.sees(".wall-tile[data-room=voices] .avatar.speaking")
        try await user.reportsNoErrors()
        for user in [amira, user] { try await user.page.close() }
      }
    }

    @Test("a Chinese browser shows the overview and the lists in Chinese")
    func chinese() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: .shared(), ownWindow: true, with: ConsoleUser.inChinese)
        try await user.reads("/还没有房间/", in: "[data-notice=no-rooms]")
        for name in ["show", "talk"] {
          let kind = name == "talk" ? "voice" : "mixed"
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)","audience":"\#(kind)"}"#).status == 201)
        }
        try await user.reads("/2 个房间/", in: ".facts")
        try await user.reads("/语音房/", in: "tr[data-room=talk] .state")
        try await user.go("rooms?q=nothing")
        try await user.reads("/没有匹配的结果/", in: "[data-notice=no-match]")
        try await user.go("live")
        try await user.reads("/没有直播/", in: "[data-notice=no-streams]")
        try await user.go("overview")
        try await user.reads("/空房间/", in: ".wall-tile[data-room=show]")
        for words in ["处理器", "内存", "任务", "直播", "事件", "房间"] {
          try await user.page.wait(
            until: "[...document.querySelectorAll('.overview h2')].some(each => each.textContent === '\(words)')")
        }
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }
  }
}
