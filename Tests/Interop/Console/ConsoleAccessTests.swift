import RoomChromium
import RoomProtocol
import Testing

extension RealMedia {
  /// The console on a phone, with the keyboard alone, for screen readers, and in Chinese.
  @Suite("Access to the console")
  struct ConsoleAccessTests {
    private static let live = ".on-air[data-phase=live]"

    @Test("on a phone a PK invitation is a banner in other views and lies over the stage in its own; a rematch follows")
    func phone() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let maya = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        let leo = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await maya.goLive(as: "maya", room: "maya-live", url: "rtmp://origin/live/maya-live")
        try await leo.goLive(as: "leo", room: "leo-live", url: "rtmp://origin/live/leo-live")
        for user in [maya, leo] { try await user.sees(Self.live) }
        try await leo.chromium.show(width: 390, height: 844, scale: 2, mobile: true)
        // The figures of the job do not touch each other.
        try await leo.reads("/[1-9]/", in: "tr[data-job] .frames")
        try await leo.page.wait(
          until: """
            (([bitrate, frames]) => bitrate.width > 0 && (frames.left >= bitrate.right + 4 || frames.top >= bitrate.bottom))(
              ['.bitrate .reading', '.frames'].map(each => {
                const range = document.createRange()
                range.selectNodeContents(document.querySelector(`tr[data-job] ${each}`))
                return range.getBoundingClientRect()
              }))
            """)
        // The button of a long dialog is in sight.
        try await leo.click(".top [aria-label='Go live']")
        try await leo.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await leo.page.wait(until: Self.isOnScreen("dialog[open] [data-action=confirm]"))
        try await leo.page.press("Escape")
        try await leo.seesNo("dialog[open]")
        try await leo.go("rooms")
        // In another view one sees that one is live, and may leave.
        try await leo.reads("/In leo-live · Live/", in: ".banners .in-call")
        try await leo.sees(".banners [data-action=strip-leave]")

        // A mistyped room keeps the form open.
        try await maya.click("[data-action=invite-pk]")
        try await maya.sees(".pk-choice[data-room=leo-live]")
        try await maya.choose("nowhere", in: "#pk-room")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await maya.reads("/no room/", in: "dialog[open] .problem")
        try await maya.choose("", in: "#pk-room")
        try await maya.click(".pk-choice[data-room=leo-live]")
        try await maya.choose("3", in: "#pk-minutes")
        try await maya.click("dialog[open] [data-action=confirm]")

        try await leo.reads("/maya invites to a PK/", in: ".banners .waiting")
        try await leo.page.wait(until: "document.title.startsWith('(1) maya invites')")
        try await leo.go("rooms/leo-live")
        try await leo.page.wait(until: Self.isOnScreen(".stage-over [data-action=accept-pk]"))
        try await leo.page.wait(until: Self.isOnScreen(".controls [data-action=leave]"))
        try await leo.click(".stage-over [data-action=accept-pk]")
        try await leo.watches("maya@maya-live")
        // The rest of three minutes, on both sides.
        for user in [maya, leo] { try await user.reads("/^2:\\d\\d$/", in: ".score-clock") }
        try await maya.click("[data-action=extend-pk]")
        for user in [maya, leo] { try await user.reads("/^3:\\d\\d$/", in: ".score-clock") }

        // A gift scores for the side that gets it, also in the chat over the picture.
        try await leo.click(".over-chat [aria-label='Give a rose']")
        try await maya.reads("/^1$/", in: ".score .peer b")
        try await leo.click("[data-action=quit-pk]")
        try await leo.reads("/You won/", in: ".score-outcome")
        try await maya.reads("/You lost/", in: ".score-outcome")
        try await maya.click("[data-action=rematch]")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await leo.click(".stage-over [data-action=reject-pk]")
        for user in [maya, leo] {
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }

    /// Whether an element lies within the screen.
    private static func isOnScreen(_ selector: String) -> String {
      """
      (node => {
        const box = node?.getBoundingClientRect()
        return box?.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth
      })(document.querySelector("\(selector)"))
      """
    }

    @Test("a request for a seat that is rejected or expires is told to who asked")
    func rejected() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let amira = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        let jonas = try await ConsoleUser.signIn(
          server, token: try await server.token(user: "jonas", room: "voices", grants: [.subscribe]), in: chromium,
          ownWindow: true)
        try await amira.goLive(as: "amira", room: "voices", url: "", audience: "voice", camera: "off")
        // Without any camera the stage is low, and the seats below it are in sight.
        try await amira.sees(".stage.voice")
        try await amira.page.wait(
          until: "scrollY === 0 && document.querySelector(\".stage\").offsetHeight <= 340")
        try await amira.page.wait(until: Self.isOnScreen(".seat[data-seat='0']"))
        try await jonas.click(".stage [data-action=watch]")
        try await jonas.seesNo(".stage-outside")
        // People are named by what they do.
        try await jonas.reads("/^Audience$/", in: ".person[data-user=jonas] .person-line")
        try await jonas.reads("/^Mix$/", in: ".person[data-user='@mix'] b")
        try await jonas.click("[data-action=ask-seat]")
        try await amira.go("overview")
        try await amira.click(".banners [data-action=reject-request]")
        try await jonas.reads("/rejected by amira/", in: ".toasts")
        #expect(try await server.api("PATCH", "/v1/rooms/voices", json: #"{"requestTimeout":5}"#).status == 200)
        try await jonas.click("[data-action=ask-seat]")
        try await jonas.reads("/Nobody answered your request/", in: ".toasts")
        for user in [amira, jonas] { try await user.page.close() }
      }
    }

    @Test("one goes live with the keyboard alone")
    func keyboard() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.page.front()
        try await user.sees(".side [data-action=begin-live]")
        // Past the link to the content and the name of the page.
        try await user.page.press("Tab")
        try await user.page.wait(until: "document.activeElement.matches('.skip')")
        for _ in 0..<2 { try await user.page.press("Tab") }
        try await user.page.wait(until: "document.activeElement.dataset.action === 'begin-live'")
        try await user.page.press("Enter")
        try await user.page.wait(until: "document.activeElement.id === 'live-room'")
        try await user.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await user.page.insert("typed")
        try await user.page.press("Enter")
        try await user.sees(Self.live)
        // The focus is at the head of the new view.
        try await user.page.wait(until: "document.activeElement.matches('h1')")
        try await user.reads("/^typed$/", in: "h1")
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }

    @Test("every control has a name, in every view and dialog of a host")
    func names() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.goLive(as: "maya", room: "maya", url: "rtmp://origin/live/maya")
        try await user.sees(Self.live)
        let unnamed = """
          [...document.querySelectorAll('button, a[href], input, select, textarea, video, [role=img]')].filter(node => node.checkVisibility()
            && !node.getAttribute('aria-label') && !node.title && !node.textContent.trim() && !node.labels?.length).map(node => node.outerHTML.slice(0, 160))
          """
        /// A part that was added just now gets its names with its first update.
        func allHaveNames() async throws {
          try? await user.page.wait(until: "\(unnamed).length === 0", within: .seconds(2))
          #expect(try await user.page.evaluate(unnamed) as [String] == [])
        }
        try await allHaveNames()
        for action in ["invite-pk", "devices", "stage-live", "begin-live", "stage-style"] {
          try await user.click(action == "begin-live" ? ".side [data-action=begin-live]" : "[data-action=\(action)]")
          try await user.sees("dialog[open]")
          try await allHaveNames()
          if action == "begin-live" { #expect(try await user.page.evaluate(Self.cut) as [String] == []) }
          try await user.page.press("Escape")
          try await user.seesNo("dialog[open]")
        }
        #expect(try await user.page.evaluate(Self.isOneLine) as Bool)
        let icons =
          "new Set(['screen', 'barrage'].map(each => document.querySelector(`[data-action=${each}] path`).getAttribute('d'))).size"
        #expect(
          try await user.page.evaluate(icons) as Int == 2, "sharing a screen and messages over the picture look different")
        for dark in [false, true] {
          try await user.chromium.show(width: 1280, height: 800, dark: dark)
          try await user.page.wait(until: "matchMedia('(prefers-color-scheme: dark)').matches === \(dark)")
          #expect(try await user.page.evaluate(Self.edge) as Double >= 3, "the edge of a field, dark: \(dark)")
        }
        // What is on says so, under one name.
        try await user.sees(".controls [data-action=microphone][aria-label=Microphone][aria-pressed=true]")
        try await user.click(".controls [data-action=microphone]")
        try await user.sees(".controls [data-action=microphone][aria-label=Microphone][aria-pressed=false]")
        try await user.page.close()
      }
    }

    /// The choices of what the audience gets that do not fit into their field.
    private static let cut = """
      (select => {
        const style = getComputedStyle(select)
        const pen = new OffscreenCanvas(1, 1).getContext('2d')
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
        const width = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
        return [...select.options].map(option => option.text).filter(text => pen.measureText(text).width > width)
      })(document.querySelector('#live-audience'))
      """

    /// Whether the end of the token is on one line, and whole.
    private static let isOneLine = """
      (node => node.offsetHeight > 0 && node.offsetHeight < 1.8 * parseFloat(getComputedStyle(node).fontSize)
        && node.scrollWidth <= node.parentElement.clientWidth)(document.querySelector('.expires'))
      """

    /// The contrast between the edge of a field and its inside (WCAG 2.2, 1.4.11).
    private static let edge = """
      (style => {
        const light = colour => {
          const [red, green, blue] = colour.match(/[\\d.]+/g).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue
        }
        const [a, b] = [light(style.borderTopColor), light(style.backgroundColor)].sort((a, b) => b - a)
        return (a + 0.05) / (b + 0.05)
      })(getComputedStyle(document.querySelector('[data-chat=text]')))
      """

    @Test("in a Chinese browser the room and its dialogs have no English left")
    func chinese() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: .shared(), ownWindow: true, with: ConsoleUser.inChinese)
        #expect(try await user.page.evaluate("document.documentElement.lang") as String == "zh-Hans")
        try await user.goLive(as: "ming", room: "ming", url: "rtmp://origin/live/ming")
        try await user.sees(Self.live)
        try await user.reads("/直播中/", in: ".on-air")
        func english() async throws -> [String] { try await user.page.evaluate(Self.english) }
        try await user.sees("tr[data-kind=video]")
        #expect(try await english() == [])
        for action in [
          "invite-pk", "devices", "stage-live", "begin-live", "room-settings", "stage-style", "mix", "go-live", "add-attribute",
        ] {
          try await user.click(action == "begin-live" ? ".side [data-action=begin-live]" : "[data-action=\(action)]")
          try await user.sees("dialog[open]")
          #expect(try await english() == [], "\(action)")
          try await user.page.press("Escape")
          try await user.seesNo("dialog[open]")
        }
        try await user.page.close()
      }
    }

    /// The visible texts and names that the English page has too, or that have two English words.
    private static let english = """
      (async () => {
        const [{ en }, { zh }] = await Promise.all([import('/console/text-en.js'), import('/console/text-zh.js')])
        const mine = ['common', 'shell', 'stage', 'pk', 'seats', 'chat', 'room']
        const leaves = (a, b) => Object.entries(a).flatMap(([key, value]) =>
          typeof value === 'string' ? (value !== b[key] ? [value] : []) : typeof value === 'object' ? leaves(value, b[key]) : [])
        const known = new Set(mine.flatMap(section => leaves(en[section], zh[section])).filter(text => /[a-z]{2}/i.test(text)))
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        const shown = []
        while (walker.nextNode()) if (walker.currentNode.parentElement.checkVisibility()) shown.push(walker.currentNode.data.trim())
        for (const node of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
          if (node.checkVisibility()) shown.push(...['aria-label', 'title', 'placeholder'].map(name => node.getAttribute(name) ?? ''))
        }
        return [...new Set(shown)].filter(text => known.has(text) || /\\b[a-z]{3,} [a-z]{3,}\\b/i.test(text.replaceAll(/fake_\\S+|Fake .*|roomserver token .*/g, '')))
      })()
      """
  }
}
