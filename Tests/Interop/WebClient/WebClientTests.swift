import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The web client on a page of another origin", .timeLimit(.minutes(3)))
  struct WebClientTests {
    @Test("it takes a seat, publishes, sees and hears a RoomClient and is seen and heard, sends messages, and has a PK")
    func room() async throws {
      try await withServer(adjust: { $0.rooms.audience = .separate }) { server in
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "red", room: "red", grants: [.publish, .subscribe, .admin])
        #expect(try await page.join(server.http(""), token, "{ points: ({ count = 1 }) => 5 * count }") == "joined")
        #expect(try await page.run("await room.seats.leave(); return room.seats.take(0)", as: Int.self) == 0)
        try await page.page.wait(until: "room.seats.mine?.index === 0 && has('seated')")
        #expect(try await page.run("return publish()"))
        let ann = try await Participant.join(server, room: "red", as: "ann")
        try await ann.publish(video: .vp8, tone: 440)
        try await eventually("both see and hear each other", within: .seconds(30)) {
          let received = try await page.received(of: "ann")
          return (received.video?.frames ?? 0) > 10 && (received.audio?.level ?? -127) > -60
            && ann.pictures(of: "red").decoded > 10 && ann.sound(of: "red").hears(1000)
        }
        #expect(try await page.page.evaluate("first.videoWidth > 0 && !first.paused"))

        try await ann.room.messages.send("hello")
        try await page.page.wait(until: "has('message', data => data.userId === 'ann' && data.text === 'hello')")
        try await page.run("await room.messages.send('<b>'); await room.attributes.set({ topic: 'chess' }); return true")
        try await eventually("the message and the attribute arrive") {
          ann.room.messages.history.last?.text == "<b>" && ann.room.attributes.all["topic"] == "chess"
        }
        // An error of the server has its stable code.
        #expect(try await page.run("return room.seats.kick('nobody').catch(error => error.code)", as: Int.self) == 80103)

        let blue = try await Participant.join(
          server, room: "blue", as: "blue", grants: [.publish, .subscribe, .admin])
        try await blue.publish(video: .vp8, tone: 600)
        let invited = try await blue.room.pk.invite("red", in: "red")
        try await page.page.wait(until: "room.pk.received[0]?.pkId === '\(invited.pkId)' && !room.pk.sent.length")
        try await page.run("await room.pk.accept('\(invited.pkId)'); return true")
        try await page.page.wait(until: "has('pkBegan') && room.pk.current !== null")
        try await page.run("await room.pk.setScore(7); return true")
        try await page.page.wait(until: "room.pk.current?.score === 7")
        try await eventually("the page sees the other anchor") {
          (try await page.received(of: "blue@blue").video?.frames ?? 0) > 5
        }
        #expect(try await page.page.evaluate("room.pk.peer.userId === 'blue@blue' && room.pk.remaining === null"))
        // The anchor's page adds gifts, and what is added at once, to the score that was set.
        try await ann.room.messages.sendGift("rose", count: 2)
        try await page.run("await Promise.all([1, 2, 3].map(points => room.pk.addScore(points))); return true")
        try await page.page.wait(until: "room.pk.current?.score === 23 && room.pk.gifts.ann === 10")
        try await eventually("the other side has the score") { blue.room.pk.current?.peerScore == 23 }
        try await page.run("await room.pk.quit(); return true")
        try await page.page.wait(until: "has('pkEnded', data => data.reason === 'quit')")

        try await page.run("await room.leave(); return true")
        try await page.page.wait(until: "room.state === 'ended' && has('ended', data => data.reason === 'left') && has('over')")
        try await eventually("ann is alone") { ann.room.participants.isEmpty }
        #expect(try await page.page.evaluate("errors.length === 0"))
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        for participant in [ann, blue] { await participant.leave() }
        try await page.page.close()
      }
    }

    @Test("a malformed message is an error event, and the room continues; a malformed answer rejects the join")
    func malformed() async throws {
      try await withServer { server in
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "page", room: "demo", grants: [.publish, .subscribe])
        #expect(try await page.join(server.url, token) == "joined")
        let broken = [
          "nonsense", "null", "[]", "7", #"{"id":"x"}"#, #"{"event":7}"#, #"{"event":"joined","data":null}"#,
          #"{"event":"offer","data":{"offer":1,"tracks":[],"restart":true}}"#,
          #"{"event":"published","data":{"userId":"a","tracks":[{"trackId":1}]}}"#,
          #"{"event":"layers","data":{"layers":{}}}"#, #"{"event":"streams"}"#,
          #"{"event":"seatChanged","seq":9,"data":{"seat":{"index":-1}}}"#,
          #"{"event":"attributesChanged","seq":9,"data":{"set":[],"removed":[]}}"#,
        ]
        for message in broken {
          let text = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
          try await page.run("sockets.at(-1).onmessage({ data: \(text) }); return true")
        }
        #expect(try await page.page.evaluate("errors.length") == broken.count)
        #expect(try await page.page.evaluate("errors[8].includes('published, tracks.0.trackId')"))
        // Events of a newer server are passed on.
        try await page.run(#"sockets.at(-1).onmessage({ data: '{"event":"newer","data":{"a":1}}' }); return true"#)
        try await page.page.wait(until: "has('newer', data => data.a === 1)")
        try await page.run("await room.messages.send('still here'); return true")
        try await page.page.wait(until: "has('message') && room.state === 'joined'")

        // A reader that waits learns how many events it has lost.
        let lost = try await page.run(
          """
          const slow = room.events({ backlog: 2 })
          for (let count = 0; count < 5; count += 1) sockets.at(-1).onmessage({ data: '{"event":"newer","data":{}}' })
          const { value } = await slow.next()
          return value.event === 'eventsLost' ? value.data.count : -1
          """, as: Int.self)
        #expect(lost == 3)

        let refused = try await page.run(
          """
          window.WebSocket = class extends EventTarget {
            static OPEN = 1
            readyState = 1
            constructor() { super(); setTimeout(() => this.onopen()) }
            send(text) { this.onmessage({ data: JSON.stringify({ id: JSON.parse(text).id, result: { sessionId: 's' } }) }) }
            close() {}
          }
          return client.Room.connect('ws://127.0.0.1:1', 'token').catch(error => error.name)
          """, as: String.self)
        #expect(refused == "malformedMessage")
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        try await page.page.close()
      }
    }
  }
}
