import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Media of the web client", .timeLimit(.minutes(3)))
  struct WebClientMediaTests {
    @Test("a page receives the users and tracks that it subscribes to, and a new session is asked for the same")
    func subscriptions() async throws {
      try await withServer { server in
        let ann = try await Participant.join(server, as: "ann")
        try await ann.publish(video: nil, tone: 440)
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "page")
        #expect(try await page.join(server.http(""), token, "{ autoSubscribe: false }") == "joined")
        try await page.run("await room.subscribe({ userIds: ['ann'] }); return true")
        try await page.page.wait(until: "room.remoteTracks.size === 1 && has('trackSubscribed')")
        try await page.run("await room.unsubscribe({ trackIds: [...room.remoteTracks.keys()] }); return true")
        try await page.page.wait(until: "room.remoteTracks.size === 0 && has('trackUnsubscribed')")
        let repeated = try await page.run(
          """
          const { Choices } = await import('\(server.http("/sdk/choices.js"))')
          const choices = new Choices()
          choices.select({ userIds: ['ann', 'gone'], trackIds: ['old'] }, true)
          choices.select({ trackIds: ['t'] }, false)
          choices.receptions.set('t', { trackId: 't', maxHeight: 90 })
          return JSON.stringify(choices.repeated([{ userId: 'ann', tracks: [{ trackId: 't' }] }]).map(({ method, params }) => [method, params]))
          """, as: String.self)
        #expect(
          repeated
            == #"[["subscribe",{"trackIds":[],"userIds":["ann"]}],["unsubscribe",{"trackIds":["t"],"userIds":[]}],"#
            + #"["setReception",{"tracks":[{"trackId":"t","maxHeight":90}]}]]"#)
        try await page.page.close()
        await ann.leave()
      }
    }

    @Test("a codec and scalable layers are used if the browser offers them; else it is a simulcast, in the browser's codec")
    func codecs() async throws {
      struct Sent: Decodable {
        var codec, scalability, used, mode, degradation: String?
        var rids: Int
      }
      try await withServer { server in
        let page = try await ClientPage(of: server.http(""))
        #expect(try await page.join(server.http(""), try await server.token(user: "page")) == "joined")
        let ann = try await Participant.join(server, as: "ann")
        func send(_ sending: String) async throws -> Sent {
          try await page.run("if (room.localTracks.size) await room.unpublish('camera'); return true")
          return try await page.run(
            """
            await room.publish({ tag: 'camera', track: painted(1280, 720), \(sending) })
            const { trackId, codec, scalability, transceiver } = room.localTracks.get('camera')
            while (!(room.statistics.get(trackId)?.frames > 0)) await new Promise(resolve => room.addEventListener('statistics', resolve, { once: true }))
            const { codec: used, scalability: mode } = room.statistics.get(trackId)
            const { encodings, degradationPreference: degradation } = transceiver.sender.getParameters()
            return { codec, scalability, used, mode, degradation, rids: encodings.filter(({ rid }) => rid).length }
            """, as: Sent.self)
        }
        let scalable = try await send("codec: 'VP9', scalability: 'L3T3_KEY', degradation: 'maintain-framerate', priority: 'high'")
        #expect(scalable.codec == "VP9" && scalable.used == "VP9" && scalable.scalability == "L3T3_KEY" && scalable.rids == 0)
        #expect(scalable.mode?.hasPrefix("L") == true && scalable.degradation == "maintain-framerate")
        try await eventually("ann sees it", within: .seconds(30)) {
          ann.pictures(of: "page").decoded > 5 && ann.codecs(of: "page") == ["vp9"]
        }
        let simulcast = try await send("codec: 'VP9'")
        #expect(simulcast.used == "VP9" && simulcast.scalability == nil && simulcast.rids == 3)
        let plain = try await send("codec: 'none', scalability: 'L9T9'")
        #expect(plain.codec == nil && plain.scalability == nil && plain.used == "VP8" && plain.rids == 3)
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        await ann.leave()
        try await page.page.close()
      }
    }
  }
}
