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
  }
}
