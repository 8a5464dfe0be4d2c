import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// A PK of three rooms: one host in the console, one on a page with the web client's elements, one with RoomClient.
  @Suite("A PK of several rooms in a browser")
  struct ConsoleBattleTests {
    private static let element = "document.querySelector('room-stage').shadowRoot"
    /// The tiles of the console's stage with their places.
    private static let tiles = """
      [...document.querySelectorAll('.tile')].map(({ dataset, style }) =>
        ['x', 'y', 'width', 'height'].reduce((all, each) => `${all} ${style.getPropertyValue(`--${each}`)}`, dataset.user)).join()
      """

    @Test("rooms are invited in teams, and everybody sees the scores, who is muted for all, the punishment, and who won")
    func battle() async throws {
      try await withServer { server in
        let gina = try await Participant.join(server, room: "green", as: "gina", grants: [.publish, .subscribe, .admin])
        try await gina.publish(video: .vp8, tone: nil)
        func ginaAccepts() async throws {
          let invitation = try await eventually("gina is invited") { gina.room.pk.invitations.first }
          try await gina.room.pk.accept(invitation.pkId)
        }
        let bo = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "bo", room: "blue", grants: [.publish, .subscribe, .admin])
        #expect(try await bo.join(server.http(""), token) == "joined")
        try await bo.run(
          """
          await import('\(server.http("/sdk/room-elements.js"))')
          document.documentElement.lang = 'en'
          for (const name of ['room-requests', 'room-stage']) document.body.append(Object.assign(document.createElement(name), { room }))
          window.tile = user => \(Self.element).querySelector(`[data-user="${user}"]`)
          window.part = (user, name) => tile(user)?.querySelector(`[part~=${name}]`)
          return publish()
          """)
        let maya = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await maya.goLive(as: "maya", room: "red", url: "", camera: "off")

        try await maya.click("[data-action=invite-pk]")
        for room in ["blue", "green"] { try await maya.click(".pk-choice[data-room=\(room)]:not([aria-pressed=true])") }
        for (room, team) in ["red": "1", "blue": "1", "green": "2"] { try await maya.choose(team, in: "#pk-team-\(room)") }
        try await maya.choose("30", in: "#pk-punishment")
        try await maya.click("dialog[open] [data-action=confirm]")
        let request = PageScript.find("room-requests >> li")
        try await bo.page.wait(until: "/maya of red invites to a PK · you would play in team 1/.test(\(request)?.textContent)")
        try await bo.run("\(request).querySelector('[data-action=accept-pk]').click(); return true")
        try await bo.page.wait(until: "room.pk.current !== null")
        try await ginaAccepts()

        // The own team is on the left, the other one on the right.
        for room in ["red", "blue", "green"] { try await maya.sees(".pk-members li[data-room=\(room)]") }
        try await maya.sees(".tiles.framed .tile[data-user='gina@green']")
        let mayaFirst = "maya 0% 0% 50% 50%,bo@blue 0% 50% 50% 50%,gina@green 50% 0% 50% 100%"
        try await maya.page.wait(until: "\(Self.tiles) === '\(mayaFirst)'")
        try await bo.page.wait(
          until: """
            part('gina@green', 'video')?.videoWidth > 0 && ['bo', 'maya@red', 'gina@green'].every(user => part(user, 'points'))
            """)

        try await maya.click("[data-action=score-10]")
        try await bo.page.wait(until: "/^maya · red, .*Team 1, score 10$/.test(tile('maya@red').ariaLabel)")
        // What the anchors of a team have adds up.
        try await bo.run("await room.pk.setScore(5); return true")
        try await maya.reads("/^maya, bo of blue15/", in: ".score .own")
        try await maya.click("[data-room=green] [data-action=mute-for-all]")
        try await maya.reads("/muted for all/", in: ".pk-members [data-room=green]")
        try await bo.page.wait(until: "!part('gina@green', 'muted').hidden")

        let soon = #"{"seconds":1}"#
        #expect(try await server.api("POST", "/v1/rooms/red/calls/extendPK", json: soon).status == 200)
        try await maya.reads("/^You won$/", in: ".score-outcome")
        try await maya.reads("/^Punishment 0:[0-3]\\d$/", in: ".score-clock")
        try await bo.page.wait(
          until: "['maya@red', 'bo', 'gina@green'].filter(user => !part(user, 'win').hidden).join() === 'maya@red,bo'")
        #expect(try await bo.page.evaluate("\(Self.element).querySelector('[part=outcome]').textContent") == "You won")

        // The result stays when the room has left, and its rooms are invited again with one click.
        try await maya.click("[data-action=quit-pk]")
        try await maya.reads("/^You won$/", in: ".score-outcome")
        try await maya.reads("/red 10 · blue 5 · green 0 red, blue won/", in: ".pk-words")
        let quits = "await room.pk.quit(); return true"
        func boAccepts() async throws {
          try await bo.page.wait(until: "room.pk.received.length > 0")
          try await bo.run("await room.pk.accept(room.pk.received[0].pkId); return true")
        }
        try await bo.run(quits)
        try await maya.click("[data-action=rematch]")
        try await boAccepts()
        try await ginaAccepts()
        try await maya.page.wait(until: "\(Self.tiles) === '\(mayaFirst)'")

        // With the rule of one order, all rooms show the anchors in the order in which the rooms joined.
        try await maya.click("[data-action=quit-pk]")
        try await bo.run(quits)
        try await eventually("the rematch is over") { gina.room.pk.current == nil }
        let invited = #"{"room":"red","others":[{"room":"blue"}],"rules":{"sameOrder":true}}"#
        #expect(try await server.api("POST", "/v1/rooms/green/calls/invitePK", json: invited).status == 200)
        try await boAccepts()
        try await maya.click("[data-action=accept-pk]")
        let ginaFirst = "gina@green 0% 0% 50% 100%,bo@blue 50% 0% 50% 50%,maya 50% 50% 50% 50%"
        try await maya.page.wait(until: "\(Self.tiles) === '\(ginaFirst)'")
        try await bo.page.wait(
          until: """
            [...\(Self.element).querySelectorAll('[data-user]')].map(({ dataset }) => dataset.user).join() === 'gina@green,bo,maya@red'
            """)
        try await maya.reportsNoErrors()
        #expect(bo.page.record.errors.isEmpty, "\(bo.page.record.errors)")
        try await maya.page.close()
        try await bo.page.close()
        await gina.leave()
      }
    }
  }
}
