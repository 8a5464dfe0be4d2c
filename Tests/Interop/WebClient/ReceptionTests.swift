import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("What the web client receives, and plays", .timeLimit(.minutes(3)))
  struct ReceptionTests {
    /// The height of the received picture, and the number of its frames.
    private struct Picture: Decodable {
      var height: Int?
      var frames: Int
    }

    private func picture(_ page: ClientPage) async throws -> Picture {
      try await page.page.evaluate(
        """
        (({ height, frames = 0 } = {}) => ({ height, frames }))([...room.remoteTracks.values()].filter(({ kind }) => kind === 'video')
          .map(({ trackId }) => room.statistics.get(trackId))[0])
        """)
    }

    private func receives(_ height: Int, _ page: ClientPage, _ comment: String) async throws {
      let before = try await picture(page).frames
      try await eventually(comment, within: .seconds(30)) {
        let now = try await picture(page)
        return now.height == height && now.frames > before
      }
    }

    /// Waits until two seconds have no new picture.
    private func pauses(_ page: ClientPage, _ comment: String) async throws {
      try await eventually(comment, within: .seconds(30)) {
        let before = try await picture(page).frames
        try await Task.sleep(for: .seconds(2))
        return try await picture(page).frames == before
      }
    }

    @Test("the layer follows the size, the number and the visibility of a track's elements, and the tab")
    func layers() async throws {
      try await withServer { server in
        let camera = try await ClientPage(of: server.http(""))
        #expect(try await camera.join(server.url, try await server.token(user: "camera")) == "joined")
        #expect(try await camera.run("return publish({ tag: 'camera', width: 960, height: 540 })"))
        let viewer = try await ClientPage(of: server.http(""), ownWindow: false)
        try await viewer.page.front()
        #expect(try await viewer.join(server.url, try await server.token(user: "viewer", grants: [.subscribe])) == "joined")
        // The page's element has 320 x 180: the layer of 270 lines fills it.
        try await receives(270, viewer, "the layer of a small element")
        try await viewer.run("Object.assign(first.style, { width: '960px', height: '540px' }); return true")
        try await receives(540, viewer, "the layer of a large element")
        try await viewer.run("first.style.display = 'none'; return true")
        try await pauses(viewer, "nothing for a hidden element")
        try await viewer.run(
          """
          window.second = Object.assign(document.createElement('video'), { muted: true, playsInline: true })
          Object.assign(second.style, { width: '160px', height: '90px' })
          document.body.append(second)
          room.attach([...room.remoteTracks.values()].find(({ kind }) => kind === 'video').trackId, second)
          return true
          """)
        try await receives(135, viewer, "the layer of the only visible element")
        try await viewer.run("Object.assign(first.style, { display: 'block', height: '270px' }); return true")
        try await receives(270, viewer, "the layer of the larger of two elements")

        let cover = try await BrowserPage.open(in: .shared())
        try await cover.front()
        try await viewer.page.wait(until: "document.hidden")
        try await pauses(viewer, "nothing for a hidden tab")
        #expect(try await viewer.page.evaluate("room.state === 'joined'"))
        try await viewer.page.front()
        try await receives(270, viewer, "pictures in a visible tab")
        for page in [camera.page, viewer.page, cover] { try await page.close() }
      }
    }

    @Test("a browser that plays no sound before a click: the room says so, and plays after startAudio()")
    func blocked() async throws {
      try await withServer { server in
        let ann = try await Participant.join(server, as: "ann")
        try await ann.publish(video: nil, tone: 440)
        let page = try await ClientPage(of: server.http(""), in: Chromium(autoplays: false))
        func value(_ expression: String) async throws -> Bool { try await page.page.evaluate(expression, asUser: false) }
        #expect(
          try await value(
            """
            (async () => {
              window.sounds = []
              window.Audio = new Proxy(Audio, { construct(type) { sounds.push(new type()); return sounds.at(-1) } })
              return await join('\(server.url)', '\(server.token(user: "page"))') === 'joined'
            })()
            """))
        try await eventually("the room reports it") {
          try await value("has('audioBlocked') && sounds.length === 1 && sounds[0].paused")
        }
        try await page.run("await room.startAudio(); return true")
        try await eventually("sound is played") { try await value("!sounds[0].paused && sounds[0].currentTime > 0.2") }
        #expect(try await value("events.filter(({ event }) => event === 'audioBlocked').length === 1 && errors.length === 0"))
        try await page.page.close()
        await ann.leave()
      }
    }
  }
}
