import RoomClient
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Data channels of the web client", .timeLimit(.minutes(2)))
  struct WebClientDataTests {
    @Test("a page and a RoomClient exchange messages; what is too large, too much or malformed is an error")
    func messages() async throws {
      try await withServer { server in
        let ann = try await Room.connect(
          to: server.url, token: try await server.token(user: "ann"), options: RoomOptions(data: true))
        let page = try await ClientPage(of: server.http(""))
        #expect(try await page.join(server.http(""), try await server.token(user: "page"), "{ data: true }") == "joined")
        // Without waiting for the channels.
        try await page.run("await room.data.send('grüße', { topic: 'chat' }); return true")
        let received = try #require(await ann.data.messages().first { _ in true })
        #expect(received == ReceivedData(userId: "page", topic: "chat", payload: Array("grüße".utf8), isReliable: true))
        try await ann.data.send([0, 1, 255])
        // Beside a track.
        try await ann.publishAudio(LocalAudioTrack())
        try await page.page.wait(until: "room.remoteTracks.size > 0")
        try await ann.data.send(Array("beside".utf8), topic: "t", to: ["page"], reliable: false)
        try await page.page.wait(until: "events.filter(({ event }) => event === 'data').length === 2")
        #expect(
          try await page.page.evaluate(
            """
            has('data', ({ from, topic, payload, reliable }) => from === 'ann' && topic === '' && reliable && payload.join() === '0,1,255')
              && has('data', ({ topic, payload, reliable }) => topic === 't' && !reliable && new TextDecoder().decode(payload) === 'beside')
            """))

        let names = try await page.run(
          """
          const name = sent => sent.then(() => 'sent', error => error instanceof client.RoomError ? `${error.name} ${error.code}` : String(error))
          const mebibyte = Array.from({ length: 100 }, () => name(room.data.send(new Uint8Array(60_000), { to: ['nobody'] })))
          return [
            await name(room.data.send(new Uint8Array(60_001))), await name(room.data.send('', { topic: 'é'.repeat(129) })),
            await name(room.data.send('', { to: Array(65).fill('bob') })),
            (await Promise.all(mebibyte)).find(each => each !== 'sent'),
          ]
          """, as: [String].self)
        #expect(names == ["tooLarge 81001", "tooLarge 81001", "tooLarge 81001", "congested 81001"])

        // As a server would that sends nonsense.
        let count = try await page.run(
          """
          const channel = new EventTarget()
          Object.assign(channel, { label: 'lossy', readyState: 'connecting' })
          room.data.take(channel)
          const frame = (text, length = text.length) => new Uint8Array([length >> 8, length & 255, ...new TextEncoder().encode(text)]).buffer
          const broken = ['text', new ArrayBuffer(1), frame('{}', 9), frame('nonsense'), frame('[]'), frame('{"from":1}'), new Uint8Array([0, 1, 255]).buffer]
          for (const data of broken) channel.onmessage({ data })
          return errors.length - broken.length
          """, as: Int.self)
        #expect(count == 0)
        #expect(try await page.page.evaluate("errors.every(text => text.includes('data channel')) && room.state === 'joined'"))
        try await page.run("await room.leave(); return true")
        #expect(
          try await page.run("return room.data.send('late').catch(error => error.name)", as: String.self) == "unavailable")
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        try await page.page.close()
        await ann.leave()
      }
    }
  }
}
