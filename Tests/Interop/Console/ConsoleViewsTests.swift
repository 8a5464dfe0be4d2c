import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Every view: the names of its controls, no sideways scroll from a phone's width to a desktop's, and contrast.
  @Suite("The views of the console, on all screens")
  struct ConsoleViewsTests {
    @Test("sign-in, lists, server and watch page: controls have names, pages fit, texts are legible", .timeLimit(.minutes(5)))
    func lists() async throws {
      try await withServer { server in
        let host = try await Participant.join(server, room: "a-room-with-a-rather-long-name-of-50-characters-0001", as: "host")
        try await host.publish(video: .h264, tone: 440)
        let job = #"{"jobId":"live","userId":"host","publishUrl":"rtmp://origin/live/a-stream-with-a-rather-long-name"}"#
        let jobs = "/v1/rooms/a-room-with-a-rather-long-name-of-50-characters-0001/jobs"
        #expect(try await server.api("POST", jobs, json: job).status == 201)
        let open = #"{"name":"open","watch":{"public":true,"chat":true}}"#
        #expect(try await server.api("POST", "/v1/rooms", json: open).status == 201)

        let stranger = try await ConsoleUser.atSignIn(server, in: .shared(), ownWindow: true)
        var views = ConsoleViews(try stranger.chromium)
        try await views.check("sign-in")
        #expect(views.findings == [])
        try await stranger.page.close()

        let admin = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        views = ConsoleViews(try admin.chromium)
        for (route, landmark) in [
          ("rooms", "main [href^='#/rooms/']"), ("overview", ".wall-tile"), ("live", "main td"), ("server", "main .card"),
          ("rooms/a-room-with-a-rather-long-name-of-50-characters-0001", "tr[data-kind=video]"),
          ("rooms/nowhere", "[data-action=create-room]"),
        ] {
          try await admin.go(route)
          try await admin.sees(landmark)
          try await views.check(route)
        }
        #expect(views.findings == [])
        try await admin.page.close()

        let viewer = try await WatchUser.open(server.http("/watch/open"))
        try await viewer.sees("offline")
        views = ConsoleViews(try viewer.chromium)
        try await views.check("watch")
        #expect(views.findings == [])
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("the stage live, in a PK and as a voice room, and its dialogs", .timeLimit(.minutes(5)))
    func stage() async throws {
      try await withServer { server in
        let opponent = try await Participant.join(server, room: "red", as: "leo", grants: [.publish, .subscribe, .admin])
        try await opponent.publish(video: .h264, tone: 440)
        let maya = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        var views = ConsoleViews(try maya.chromium)
        try await maya.goLive(as: "maya", room: "maya", url: "rtmp://origin/live/maya")
        try await maya.sees(".on-air[data-phase=live]")
        try await views.check("live stage")
        for action in ["invite-pk", "devices", "share", "stage-live", "stage-style", "room-settings", "mix"] {
          try await maya.click("[data-action=\(action)]")
          try await maya.sees("dialog[open]")
          if action == "stage-style" { try await maya.click("[data-action=add-text]") }
          try await views.check("dialog \(action)")
          try await maya.page.press("Escape")
          try await maya.seesNo("dialog[open]")
        }

        // On a phone the answer to a PK is in sight, and afterwards the chat lies over the picture.
        try await maya.chromium.show(width: 390, height: 844, scale: 2, mobile: true)
        #expect(try await server.api("POST", "/v1/rooms/red/calls/invitePK", json: #"{"room":"maya"}"#).status == 200)
        let _: Bool = try await maya.page.evaluate("(scrollTo(0, 0), true)")
        try await maya.page.wait(until: Self.lies(".stage-over [data-action=accept-pk]", within: "html"))
        try await maya.click(".stage-over [data-action=accept-pk]")
        try await maya.watches("leo@red")
        let line = #"{"kind":"text","text":"over the picture"}"#
        #expect(try await server.api("POST", "/v1/rooms/maya/calls/sendMessage", json: line).status == 200)
        try await maya.reads("/over the picture/", in: ".over-messages")
        for part in [".over-messages li", ".over-line .input"] {
          try await maya.page.wait(until: Self.lies(part, within: ".stage-picture"))
          try await maya.page.wait(until: Self.lies(part, within: "html"))
        }
        try await views.check("PK")
        #expect(views.findings == [])
        try await maya.reportsNoErrors()
        try await maya.page.close()
        await opponent.leave()

        let amira = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await amira.goLive(as: "amira", room: "voices", url: "", audience: "voice")
        try await amira.choose("gridFour", in: "[data-action=layout]")
        try await amira.sees(".seat[data-seat='3']")
        views = ConsoleViews(try amira.chromium)
        try await views.check("voice room")
        #expect(views.findings == [])
        try await amira.page.close()
      }
    }

    /// Whether an element lies within the visible part of another; within `html` means within the screen.
    private static func lies(_ selector: String, within other: String) -> String {
      """
      ((node, other) => {
        const [box, frame] = [node?.getBoundingClientRect(), other?.getBoundingClientRect()]
        if (!box?.width || !frame) return false
        const screen = other === document.documentElement
        const [top, bottom] = screen ? [0, innerHeight] : [frame.top, frame.bottom]
        const [left, right] = screen ? [0, innerWidth] : [frame.left, frame.right]
        return box.top >= top - 1 && box.left >= left - 1 && box.bottom <= bottom + 1 && box.right <= right + 1
      })(document.querySelector("\(selector)"), document.querySelector("\(other)"))
      """
    }
  }
}
