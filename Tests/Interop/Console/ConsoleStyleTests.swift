import Foundation
import RoomChromium
import RoomProtocol
import Testing

extension RealMedia {
  @Suite("The console and the style of the stage")
  struct ConsoleStyleTests {
    /// Creates a room with a small picture whose upper and lower quarters show the background.
    private func makeRoom(_ server: TestServer) async throws {
      let json = """
        {"name":"studio","watch":{"public":true},
        "stage":{"width":640,"height":360,"fps":12,"videoKbps":300,"preset":"ultrafast"}}
        """
      #expect(try await server.api("POST", "/v1/rooms", json: json).status == 201)
      let layout = #"{"type":"gridTwo"}"#
      #expect(try await server.api("POST", "/v1/rooms/studio/calls/setLayout", json: layout).status == 200)
    }

    /// Waits until the background of the picture that a viewer sees meets a condition on `red`, `green` and `blue`, 0 to 255.
    private func sees(_ viewer: WatchUser, background condition: String) async throws {
      try await viewer.page.wait(
        until: """
          (video => {
            if (!video?.videoWidth) return false
            const pen = new OffscreenCanvas(64, 36).getContext('2d', { willReadFrequently: true })
            pen.drawImage(video, 0, 0, 64, 36)
            const [red, green, blue] = pen.getImageData(32, 3, 1, 1).data
            return \(condition)
          })(\(WatchUser.video))
          """, within: .seconds(60))
    }

    @Test("a host changes the style with the keyboard alone, and viewers see it; hints are red; another's change is announced")
    func change() async throws {
      try await withServer { server in
        try await makeRoom(server)
        let token = try await server.token(user: "maya", room: "studio", grants: [.publish, .subscribe, .admin, .relay])
        let maya = try await ConsoleUser.signIn(server, token: token, in: .shared(), ownWindow: true)
        try await maya.click("[data-action=room-live]")
        try await maya.page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
        try await maya.page.wait(until: "document.querySelector('#device-camera option[value=test]')")
        try await maya.choose("test", in: "#device-camera")
        try await maya.click("dialog[open] [data-action=confirm]")
        try await maya.sees(".on-air[data-phase=live]")
        let guest = try await Participant.join(server, room: "studio", as: "guest", grants: [.publish, .subscribe])
        _ = try await guest.room.seats.take(1)
        let viewer = try await WatchUser.open(server.http("/watch/studio"))
        try await viewer.plays(by: "whep")
        try await sees(viewer, background: "red < 60 && green < 60 && blue < 60")

        try await maya.page.front()
        try await maya.presses(on: "[data-action=stage-style]")
        try await maya.reads("/640x360 · black/", in: ".style-now")
        try await maya.presses("ArrowDown", on: "[data-style=background]")
        try await maya.writes("red", into: "[data-style=colour]")
        try await maya.page.press("Enter")
        try await maya.reads("/#RRGGBB/", in: ".field.colour .hint.bad")
        let red = "getComputedStyle(document.querySelector('.field.colour .hint.bad')).color"
        let normal = "getComputedStyle(document.querySelector('.field.colour label')).color"
        #expect(try await maya.page.evaluate("\(red) !== \(normal)") as Bool)
        // The focus is at the wrong field.
        #expect(try await maya.page.evaluate("document.activeElement.dataset.style") as String == "colour")
        let _: Bool = try await maya.page.evaluate("(document.activeElement.select(), true)")
        try await maya.page.insert("#cc2222")
        try await maya.presses(" ", on: "#style-names")
        try await maya.presses(on: "dialog[open] [data-action=confirm]")
        try await maya.reads("/#cc2222 · names/", in: ".style-now")
        try await sees(viewer, background: "red > 140 && green < 90 && blue < 90")
        #expect(try await style(server).fps == 12)

        // An operator changes it while nothing is edited: the form follows.
        let blue = ##"{"stage":{"width":640,"height":360,"fps":12,"preset":"ultrafast","background":{"colour":"#2222cc"}}}"##
        #expect(try await server.api("PATCH", "/v1/rooms/studio", json: blue).status == 200)
        try await maya.reads("/Somebody else changed the style/", in: "dialog[open] [role=status]")
        #expect(try await maya.page.evaluate("document.querySelector('[data-style=colour]').value") as String == "#2222cc")
        try await sees(viewer, background: "blue > 140 && red < 90")

        // What was typed stays until the user decides.
        try await maya.writes("25", into: "[data-style=cornerRadius]")
        let green = ##"{"stage":{"width":640,"height":360,"fps":12,"preset":"ultrafast","background":{"colour":"#118811"}}}"##
        #expect(try await server.api("PATCH", "/v1/rooms/studio", json: green).status == 200)
        try await maya.sees("dialog[open] .question")
        #expect(try await maya.page.evaluate("document.querySelector('[data-style=cornerRadius]').value") as String == "25")
        try await maya.presses(on: "[data-action=load-style]")
        try await maya.seesNo("dialog[open] .question")
        #expect(try await maya.page.evaluate("document.querySelector('[data-style=cornerRadius]').value") as String == "0")

        try await maya.presses(on: "[data-action=reset-style]")
        try await maya.reads("/By the camera.* · black/", in: ".style-now")
        try await sees(viewer, background: "red < 60 && green < 60 && blue < 60")
        #expect(try await style(server) == StagePicture())
        await guest.leave()
        try await maya.reportsNoErrors()
        try await maya.page.close()
        try await viewer.page.close()
      }
    }

    @Test("an operator who is not in the room sets texts and the clock; an unknown image is refused in its place")
    func fields() async throws {
      try await withServer { server in
        try await makeRoom(server)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.go("rooms/studio")
        try await user.click("[data-action=stage-style]")
        try await user.click("[data-action=add-text]")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.reads("/1 to 64/", in: "[data-row=text] .hint.bad:not([hidden])")
        try await user.choose("Friday night", in: "[data-row=text] [data-style=text]")
        try await user.choose("9000", in: "[data-row=text] [data-style=x]")
        try await user.reads("/-8192 to 8192/", in: "[data-row=text] .hint.bad:not([hidden])")
        try await user.choose("40", in: "[data-row=text] [data-style=x]")
        try await user.click("#style-clock")
        try await user.click("#style-scores")
        try await user.choose("logo.png", in: "[data-style=watermark]")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.reads("/no image yet/", in: ".field.watermark .hint.bad")
        #expect(try await style(server).texts.isEmpty)
        try await user.choose("", in: "[data-style=watermark]")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.reads("/1 text · clock · scores/", in: ".style-now")
        let now = try await style(server)
        #expect(now.texts.map(\.text) == ["Friday night", nil] && now.texts.map(\.clock) == [nil, true])
        #expect(now.texts.map(\.x) == [40, 24] && now.scores && !now.names && now.fps == 12 && now.width == 640)
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }

    private func style(_ server: TestServer) async throws -> StagePicture {
      struct Detail: Decodable {
        struct Settings: Decodable { var stage: StagePicture }
        var settings: Settings
      }
      let (status, body) = try await server.api("GET", "/v1/rooms/studio")
      #expect(status == 200)
      return try JSONDecoder().decode(Detail.self, from: body).settings.stage
    }
  }
}
