import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The web client's elements of a room", .timeLimit(.minutes(3)))
  struct RoomElementsTests {
    private func part(_ element: String, _ selector: String) -> String {
      "document.querySelector('\(element)').shadowRoot.querySelector('\(selector)')"
    }

    @Test("seats are taken and left, messages are read and written as text, and a removed element listens no more")
    func room() async throws {
      try await withServer { server in
        let host = try await Participant.join(server, as: "host", grants: [.publish, .subscribe, .admin])
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "ann", grants: [.publish, .subscribe])
        #expect(try await page.join(server.http(""), token) == "joined")
        try await page.run(
          """
          await import('\(server.http("/sdk/room-elements.js"))')
          for (const name of ['room-seats', 'room-chat']) {
            const element = document.createElement(name)
            element.lang = 'zh'
            element.room = room
            element.addEventListener('error', ({ error }) => errors.push(String(error.code)))
            document.body.append(element)
          }
          return true
          """)
        try await host.room.messages.send("<b>hello</b>")
        try await page.page.wait(until: "\(part("room-chat", "[part=text]"))?.textContent === '<b>hello</b>'")
        try await page.run(
          """
          \(part("room-chat", "input")).value = 'hi'
          \(part("room-chat", "form")).requestSubmit()
          \(part("room-seats", "button")).click()
          return true
          """)
        try await eventually("the host reads it") {
          host.room.messages.history.contains { $0.text == "hi" && $0.userId == "ann" }
        }
        try await eventually("ann has a seat") { host.room.seats.all.contains { $0.userId == "ann" } }
        try await page.page.wait(until: "\(part("room-seats", "button"))?.textContent === '下麦'")
        try await page.run("\(part("room-seats", "button")).click(); return true")
        try await eventually("the seat is free") { !host.room.seats.all.contains { $0.userId == "ann" } }

        try await page.run("window.removed = document.querySelector('room-chat'); removed.remove(); return true")
        try await host.room.messages.send("later")
        try await page.page.wait(until: "room.messages.history.some(({ text }) => text === 'later')")
        let lines: Int = try await page.page.evaluate("removed.shadowRoot.querySelectorAll('li').length")
        #expect(lines == 2)
        let errors: [String] = try await page.page.evaluate("errors")
        #expect(errors == [])
        try await page.page.close()
        await host.leave()
      }
    }

    @Test("the stage shows tiles in the room's layout with names, levels and marks, enlarges by keys, and shows a PK")
    func stage() async throws {
      try await withServer(adjust: { $0.rooms.audience = .separate }) { server in
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "red", room: "red", grants: [.publish, .subscribe, .admin])
        #expect(try await page.join(server.http(""), token) == "joined")
        try await page.run(
          """
          await import('\(server.http("/sdk/room-elements.js"))')
          Object.assign(document.documentElement, { lang: 'zh', dir: 'rtl' })
          const stage = document.createElement('room-stage')
          stage.room = room
          document.body.append(stage)
          window.tile = user => stage.shadowRoot.querySelector(`[data-user="${user}"]`)
          window.part = (user, name) => tile(user)?.querySelector(`[part=${name}]`)
          // The place of a tile in the picture, in hundredths.
          window.place = user => {
            const [box, all] = [tile(user), stage.shadowRoot.querySelector('.canvas')].map(each => each.getBoundingClientRect())
            return [(box.left - all.left) / all.width, (box.top - all.top) / all.height, box.width / all.width].map(each => Math.round(each * 100)).join()
          }
          return publish()
          """)
        try await page.page.wait(until: "part('red', 'video')?.videoWidth > 0 && place('red') === '0,0,100'")
        let ann = try await Participant.join(server, room: "red", as: "ann")
        try await ann.publish(video: .vp8, tone: 440)
        // Who publishes without a seat has a tile below.
        try await page.page.wait(
          until: "part('ann', 'video')?.videoWidth > 0 && tile('ann').parentNode.part.value === 'others'")
        _ = try await ann.room.seats.take(1)
        try await page.page.wait(until: "part('ann', 'video')?.videoWidth > 0 && place('ann') === '66,10,30'")
        try await page.page.wait(
          until: "tile('ann').classList.contains('speaking') && Number(tile('ann').style.getPropertyValue('--level')) > 0.5")
        try await page.page.wait(until: "/^red, 主播, 我/.test(tile('red').ariaLabel) && part('ann', 'owner').hidden")
        try await ann.mute(true)
        try await page.page.wait(until: "!part('ann', 'muted').hidden && /麦克风已关闭/.test(tile('ann').ariaLabel)")
        try await page.page.wait(until: "part('ann', 'video').srcObject === null")
        try await ann.mute(false)

        try await page.page.front()
        try await page.run("part('ann', 'enlarge').focus(); return true")
        try await page.page.press("Enter")
        try await page.page.wait(until: "place('ann') === '0,0,100' && part('ann', 'enlarge').ariaPressed === 'true'")
        try await page.page.press("Escape")
        try await page.page.wait(until: "place('ann') === '66,10,30'")

        let blue = try await Participant.join(server, room: "blue", as: "blue", grants: [.publish, .subscribe, .admin])
        try await blue.publish(video: .vp8, tone: 600)
        let invited = try await blue.room.pk.invite("red", in: "red")
        try await page.page.wait(until: "room.pk.invitations.length > 0")
        try await page.run("await room.pk.accept('\(invited.pkId)'); return true")
        try await page.page.wait(until: "room.pk.current !== null")
        try await page.run("await room.pk.setScore(1234); return true")
        try await page.page.wait(until: "part('blue@blue', 'video')?.videoWidth > 0 && place('blue@blue') === '50,0,50'")
        #expect(try await page.page.evaluate("place('red') === '0,0,50' && tile('ann').parentNode.part.value === 'others'"))
        let bar = PageScript.find("room-stage >> [part=pk]")
        try await page.page.wait(until: "/^red1.2340:[0-9]{2}0blue · blue$/.test(\(bar).textContent)")
        try await page.run("await room.pk.quit(); return true")
        try await page.page.wait(until: "\(bar).hidden && !tile('blue@blue')")

        // An element that is gone holds no track.
        try await page.run(
          """
          const stage = document.querySelector('room-stage'), videos = [...stage.shadowRoot.querySelectorAll('video')]
          stage.remove()
          return videos.length === 2 && videos.every(each => each.srcObject === null) && !stage.shadowRoot.querySelector('li')
          """)
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        try await page.page.close()
        for participant in [ann, blue] { await participant.leave() }
      }
    }
  }
}
