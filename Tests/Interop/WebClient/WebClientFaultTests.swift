import Foundation
import RoomChromium
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The web client and what breaks: a server, the network, a node", .timeLimit(.minutes(4)))
  struct WebClientFaultTests {
    private static let anchor: Grants = [.publish, .subscribe, .admin]

    @Test("after a kill of the server two pages join and publish again, keep their seats, and have each other's pictures")
    func killed() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let arguments = ["--data", data, "--workers", "1"]
      let first = try await ServerProcess(arguments)
      let address = "http://127.0.0.1:\(first.port)"
      var pages: [ClientPage] = []
      for user in ["red", "blue"] {
        let page = try await ClientPage(of: address)
        #expect(try await page.join(address, first.token(user: UserID(user), grants: Self.anchor)) == "joined")
        #expect(try await page.run("return publish()"))
        pages.append(page)
      }
      try await pages[1].run("await room.seats.take(1); return true")
      for page in pages { try await page.page.wait(until: "first.readyState >= 2 && first.currentTime > 0.5") }
      for page in pages { try await page.run("age(); return true") }

      first.kill()
      let second = try await ServerProcess(arguments, port: first.port)
      let start = ContinuousClock.now
      for page in pages {
        try await page.page.wait(until: "has('stateChanged', state => state === 'reconnecting') && room.state === 'joined'")
      }
      let joined = ContinuousClock.now - start
      for page in pages { try await page.page.wait(until: "isFresh()") }
      let pictures = ContinuousClock.now - start
      print("kill -9: both pages joined \(joined) after the server accepts connections, pictures both ways after \(pictures)")
      #expect(pictures < .seconds(10), "3 s on a quiet machine")
      for (seat, page) in pages.enumerated() {
        #expect(try await page.page.evaluate("room.seats.mine?.index === \(seat) && errors.length === 0"))
        try await page.page.close()
      }
      second.kill()
    }

    @Test("a network that carries nothing for 20 s: the page is back with pictures, both ways")
    func cut() async throws {
      let network = try ClusterNetwork(nodes: 2)
      let (site, home) = (network.nodes[0], network.nodes[1])
      let server = try await ServerProcess(["--workers", "1"], at: site)
      let bob = try await Participant.join(server, room: "demo", as: "bob", grants: Self.anchor)
      try await bob.publish(video: .vp8, tone: 440)
      let address = "http://\(site.address):8080"
      let page = try await ClientPage(of: address, in: Chromium(prefix: home.namespace.prefix))
      #expect(try await page.join(address, server.token(user: "page")) == "joined")
      #expect(try await page.run("return publish()"))
      try await eventually("both see each other", within: .seconds(30)) {
        (try await page.received(of: "bob").video?.frames ?? 0) > 10 && bob.pictures(of: "page").decoded > 10
      }

      try network.cut(site, home)
      try await Task.sleep(for: .seconds(20))
      try await bob.room.messages.send("during the cut")
      let seen = bob.pictures(of: "page").decoded
      try await page.run("window.shown = first.getVideoPlaybackQuality().totalVideoFrames; return true")
      try network.mend(site, home)
      let start = ContinuousClock.now
      try await page.page.wait(until: "room.state === 'joined' && first.getVideoPlaybackQuality().totalVideoFrames > shown")
      let pictures = ContinuousClock.now - start
      try await eventually("the other sees the page", within: .seconds(30)) { bob.pictures(of: "page").decoded > seen }
      let both = ContinuousClock.now - start
      print("20 s cut: the page has pictures \(pictures) after the end of the cut, the other after \(both)")
      #expect(pictures < .seconds(10) && both < .seconds(10), "3 s on a quiet machine")
      try await page.page.wait(until: "room.messages.history.some(({ text }) => text === 'during the cut')")
      #expect(try await page.page.evaluate("errors.length === 0"))
      try await page.page.close()
      await bob.leave()
      server.kill()
    }

    @Test(
      "the room's node ends: its page is at another node with its seat, the PK and every message",
      .enabled(if: RedisServer.isInstalled))
    func moved() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(2, on: "redis://127.0.0.1:\(redis.port)", ["--drain", "30"], regions: true)
      let (owner, other) = (cluster.servers[0], cluster.servers[1])
      for (name, server) in [("red", owner), ("blue", other)] {
        let room = #"{"name":"\#(name)","audience":"separate"}"#
        #expect(try await server.api("POST", "/v1/rooms", json: room).status == 201)
      }
      #expect(try await cluster.owner(of: "red") === owner)
      let address = "http://127.0.0.1:\(owner.port)"
      let page = try await ClientPage(of: address)
      #expect(try await page.join(address, owner.token(user: "red", room: "red", grants: Self.anchor)) == "joined")
      #expect(try await page.run("return publish()"))
      let guest = try await Participant.join(owner, room: "red", as: "guest")
      _ = try await guest.room.seats.take(1)
      let blue = try await Participant.join(other, room: "blue", as: "blue", grants: Self.anchor)
      try await blue.publish(video: .vp8, tone: 440)
      let invited = try await blue.room.pk.invite("red", in: "red")
      try await page.page.wait(until: "room.pk.invitations.length > 0")
      try await page.run("await room.pk.accept('\(invited.pkId)'); return true")
      try await eventually("the PK has pictures both ways", within: .seconds(30)) {
        (try await page.received(of: "blue@blue").video?.frames ?? 0) > 5 && blue.pictures(of: "red@red").decoded > 5
      }
      try await guest.room.messages.send("before")

      #expect(try await owner.api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      // A message during the move is sent by somebody at whichever node has the room.
      try await eventually("a message is accepted during the move", within: .seconds(20)) {
        (try? await guest.room.messages.send("during")) != nil
      }
      try await page.page.wait(until: "room.state === 'joined' && room.server.host === '127.0.0.1:\(other.port)'")
      let seen = (try await page.received(of: "blue@blue").video?.frames ?? 0, blue.pictures(of: "red@red").decoded)
      try await eventually("the guest is back") { guest.room.state == .connected }
      try await guest.room.messages.send("after")
      let texts = "room.messages.history.map(({ text }) => text)"
      try await page.page.wait(until: "\(texts).at(-1) === 'after'")
      let history: [String] = try await page.page.evaluate(texts)
      #expect(Set(history) == ["before", "during", "after"], "\(history)")
      let state: [Bool] = try await page.page.evaluate(
        """
        [room.seats.mine?.index === 0, room.seats.all[1].userId === 'guest', room.pk.current?.pkId === '\(invited.pkId)',
          room.participants.has('blue@blue'), !has('unseated'), !has('pkEnded')]
        """)
      #expect(state == Array(repeating: true, count: 6))
      try await page.run("await room.pk.setScore(7); return true")
      try await eventually("the other side has the score") { blue.room.pk.current?.peerScore == 7 }
      try await eventually("pictures continue both ways", within: .seconds(30)) {
        (try await page.received(of: "blue@blue").video?.frames ?? 0) != seen.0
          && blue.pictures(of: "red@red").decoded > seen.1 + 5
      }
      #expect(try await page.page.evaluate("errors.length === 0"))
      try await page.page.close()
      for participant in [guest, blue] { await participant.leave() }
    }
  }
}
