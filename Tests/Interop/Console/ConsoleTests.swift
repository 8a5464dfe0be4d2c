import RoomChromium
import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The console in Chromium")
  struct ConsoleTests {
    @Test("a camera is shown in another browser's console, which mutes it and kicks its user")
    func cameraToAnother() async throws {
      try await withServer { server in
        let other = try Chromium()
        let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        let bob = try await ConsoleUser.signIn(server, typing: try server.apiToken(), in: other)
        #expect(try await alice.page.evaluate("location.href") as String == server.page)

        // A server without rooms says what to do; the icon of its button is no larger than the text beside it.
        try await alice.sees(".empty [data-action=new-room]")
        try await alice.reads("/Go live, or create a room/", in: "[data-notice=no-rooms]")
        let icon: Double = try await alice.page.evaluate(
          "document.querySelector('.empty [data-action=new-room] .icon').getBoundingClientRect().height")
        #expect(icon < 18)

        // A room is created in one console and appears in the other.
        try await alice.click("[data-action=new-room]")
        try await alice.type("studio", into: "dialog[open] input")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.reads("/studio/", in: "h1")
        try await alice.join(as: "alice")
        try await bob.click("[data-room=studio] a")

        // Watched: the watcher is visible only in the API.
        try await bob.click("[data-action=watch]")
        try await bob.watches("alice")
        try await bob.hears()
        try await alice.reads("/Hidden/", in: ".person[data-user^=watcher]")
        #expect(try await alice.page.evaluate("document.querySelectorAll('.tile').length") as Int == 1)

        // The measurements of the server and of the browser are shown.
        try await bob.reads("/[1-9]\\d*\\s*fps/", in: "tr[data-kind=video] .frames")
        try await bob.reads("/[1-9].*bps/", in: "tr[data-kind=video] .reading")
        try await bob.page.wait(
          until: "document.querySelector('tr[data-kind=video] .spark .line').getAttribute('d').length > 20")
        try await bob.click(".controls [data-action=statistics]")
        try await bob.reads("/VP8|H264/", in: ".tile-reading")
        try await bob.reads("/[1-9]\\d* fps/", in: ".tile-reading")

        // A picture of the publisher is in the list of rooms, and the call continues in every view.
        try await bob.go("rooms")
        try await bob.page.wait(until: "document.querySelector('[data-room=studio] video.face')?.videoWidth > 0")
        try await bob.go("server")
        try await bob.sees(".chart .line")
        try await bob.reads("/In studio/", in: ".in-call")
        try await bob.hears()
        try await bob.go("rooms/studio")

        // Muted by the other user, unmuted by alice herself.
        try await bob.click("tr[data-kind=audio] [data-action=mute]")
        try await alice.sees(".controls [data-action=microphone].off")
        try await bob.sees("tr[data-kind=audio].is-muted")
        try await alice.click(".controls [data-action=microphone]")
        try await bob.sees("tr[data-kind=audio]:not(.is-muted)")
        try await bob.hears()

        // A camera that is turned off is no longer shown; turned on again, it is.
        try await alice.click(".controls [data-action=camera]")
        try await bob.sees(".tile[data-user=alice].without")
        try await alice.click(".controls [data-action=camera]")
        try await bob.watches("alice")

        // The watcher leaves and joins as a participant.
        try await bob.click(".controls [data-action=leave]")
        try await bob.sees(".stage-outside")
        try await bob.join(as: "bob")
        try await alice.watches("bob")
        try await bob.watches("alice")

        // Kicked, with a message.
        try await alice.click(".person[data-user=bob] [data-action=kick]")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await bob.sees(".stage-outside")
        try await bob.reads("/removed from the room/", in: ".toasts")
        try await alice.seesNo(".tile[data-user=bob]")

        try await alice.click(".controls [data-action=leave]")
        try await eventually("everybody has left") { try await server.metric("roomserver_participants") == 0 }
        try await alice.click("[data-action=delete-room]")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.reads("/No rooms yet/", in: ".empty")
        try await bob.sees(".empty")

        // The room was closed while it was shown: requests under way fail, and the pages report it.
        try await alice.reportsNoErrors(except: "404")
        try await bob.reportsNoErrors(except: "404")
        try await bob.reads("/404002 roomNotFound/", in: ".empty .code")
        try await alice.page.close()
        try await bob.page.close()
      }
    }

    @Test("a user who joins a new room sees it, however late the page learns that it did not exist")
    func joinOpens() async throws {
      try await withServer { server in
        let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        let _: Bool = try await alice.page.evaluate(
          """
          (() => {
            const real = window.fetch
            window.fetch = async (...request) => {
              const answer = await real(...request)
              while (window.answersWait) await new Promise(done => setTimeout(done, 20))
              return answer
            }
            return window.answersWait = true
          })()
          """)
        try await alice.go("rooms/demo")
        try await alice.click(".stage [data-action=join]")
        try await alice.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        let _: Bool = try await alice.page.evaluate("!(window.answersWait = false)")
        try await alice.reads("/This room is not open/", in: ".empty")
        // One failed request is in the browser's log, not one for each part of the view.
        #expect(try await alice.page.record.requests.count { $0.contains("/v1/rooms/demo") } == 1)
        try await alice.type("alice", into: "#join-name")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.sees(".controls [data-action=leave]")
        try await alice.seesNo(".empty")
        try await alice.reads("/1 participant/", in: ".view-head")
        try await alice.page.close()
      }
    }

    @Test("a lost socket reconnects and resumes its session; an ended session is started again", arguments: [true, false])
    func lostSocket(resumes: Bool) async throws {
      try await withServer(grace: resumes ? .seconds(20) : .milliseconds(300)) { server in
        let chromium = try Chromium.shared()
        let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium)
        let bob = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium)
        for (user, name) in [(alice, "alice"), (bob, "bob")] {
          try await user.go("rooms/demo")
          try await user.join(as: name)
        }
        try await bob.watches("alice")
        try await alice.disconnect()
        try await alice.sees(".stage-notice")
        if !resumes { try await bob.seesNo(".tile[data-user=alice]") }
        try await alice.reconnect()
        try await alice.seesNo(".stage-notice")
        #expect(try await server.metric("roomserver_resumes_total") == (resumes ? 1 : 0))
        try await bob.watches("alice")
        try await alice.watches("bob")
        for user in [alice, bob] {
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }

    @Test("a user goes live, and the console shows the status and plays the stream over HLS and WHEP")
    func goingLive() async throws {
      try await withServer { server in
        let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"studio"}"#).status == 201)
        try await alice.go("rooms/studio")
        try await alice.join(as: "alice")
        try await alice.sees("tr[data-kind=video]")
        try await alice.click("[data-action=go-live]")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.reads("/Live/", in: "tr[data-job] .job-state")
        try await alice.reads("/[1-9]\\d*\\s*fps/", in: "tr[data-job] .frames")

        try await alice.click("[data-action=watch-whep]")
        try await alice.plays("dialog[open] room-player >> video")
        try await alice.sees("dialog[open] room-player[method=whep]")
        try await alice.reads("/s behind/", in: "room-player >> .behind")
        try await alice.page.wait(
          until: "document.querySelector('[data-address=RTMP]').value === '\(try server.rtmp("live/studio"))'")
        try await alice.sees("dialog[open] [aria-label='Copy: RTMP']")
        try await alice.click("dialog[open] [aria-label=Close]")

        try await alice.go("live")
        try await alice.reads("/H.264 .*AAC/", in: "tr[data-stream='live/studio'] .format")
        try await alice.click("tr[data-stream='live/studio'] [aria-label^=Watch]")
        try await alice.plays("dialog[open] room-player >> video")
        try await alice.reads("/1 HLS/", in: "tr[data-stream='live/studio'] .viewers")
        try await alice.click("dialog[open] [aria-label=Close]")

        try await alice.go("rooms/studio")
        try await alice.click("tr[data-job] [aria-label^=Stop]")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.seesNo("tr[data-job]")

        // All publishers, mixed back into the room.
        try await alice.click("[data-action=mix]")
        try await alice.reads("/1 publisher .*: alice/", in: "dialog[open] header")
        try await alice.type("640x360", into: "#mix-size")
        try await alice.type("room", into: "#mix-way")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.reads("/into the room as mix/", in: "tr[data-job] .track")
        try await alice.reads("/Live/", in: "tr[data-job] .job-state")
        try await alice.watches("mix")
        try await alice.click("tr[data-job] [aria-label^=Stop]")
        try await alice.click("dialog[open] [data-action=confirm]")
        try await alice.seesNo(".tile[data-user=mix]")
        try await alice.page.close()
      }
    }

    @Test("a room token opens only its room, without API requests")
    func guest() async throws {
      try await withServer { server in
        let chromium = try Chromium.shared()
        let host = try await ConsoleUser.signIn(
          server, token: try await server.token(user: "host", room: "show", grants: [.publish, .subscribe, .admin]),
          in: chromium)
        try await host.reads("/show/", in: "h1")
        try await host.join(as: "host")
        let viewer = try await ConsoleUser.signIn(
          server, token: try await server.token(user: "viewer", room: "show", grants: [.subscribe]), in: chromium)
        try await viewer.seesNo("[data-action=join]")
        try await viewer.click("[data-action=watch]")
        try await viewer.watches("host")
        try await viewer.reads("/[1-9].*bps/", in: "tr[data-kind=video] .reading")
        try await viewer.seesNo("[data-action=kick]")
        try await host.click(".person[data-user=viewer] [data-action=kick]")
        try await host.click("dialog[open] [data-action=confirm]")
        try await viewer.reads("/removed from the room by host/", in: ".toasts")
        for user in [host, viewer] {
          try await user.reportsNoErrors()
          #expect(try await !user.page.record.requests.contains { $0.contains("/v1/") && !$0.hasSuffix("/v1/signal") })
          try await user.page.close()
        }
      }
    }

    @Test("an invalid token, or one of another server, is rejected with a message")
    func refused() async throws {
      try await withServer { server in
        let foreign = try await server.token(user: "x", secret: "another secret, of at least 32 bytes too")
        let guest = try await ConsoleUser.signIn(server, token: foreign, in: .shared())
        try await guest.click("[data-action=watch]")
        try await guest.reads("/10002 tokenInvalid/", in: ".toasts")
        try await guest.click("[aria-label='Sign out']")
        try await guest.type("nonsense", into: "#token")
        try await guest.click("[data-action=sign-in]")
        try await guest.reads("/three parts/", in: ".problem")
        try await guest.page.close()
      }
    }
  }
}
