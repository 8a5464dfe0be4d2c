import Foundation
import RoomLinkModel
import RoomLossyLink
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("LiveKit's SDKs, unmodified, when connections are lost", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitResumeTests {
    private static let (audio, video) = ("KIND_AUDIO", "KIND_VIDEO")

    private func join(
      _ server: TestServer, as identity: String, by port: Int? = nil, _ connections: LiveKitPeer.Connections = .single
    ) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(Self.url(server, port), token: try server.liveKitToken(identity, room: "demo"), connections)
      try await peer.reaches("\(identity) is connected") { $0.connected }
      return peer
    }

    private static func url(_ server: TestServer, _ port: Int? = nil) -> String {
      port.map { "ws://127.0.0.1:\($0)" } ?? server.http("").replacing("http:", with: "ws:")
    }

    @Test(
      "a client whose signalling is lost resumes: the same participant with the same tracks, which nobody sees leave",
      arguments: LiveKitPeer.Connections.allCases)
    func signalLost(connections: LiveKitPeer.Connections) async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann", connections)
        try ann.tell("publish video")
        try ann.tell("publish audio")
        let bob = try await join(server, as: "bob", connections)
        try bob.tell("publish audio")
        func frames() -> Int { bob.state?.others["ann"]?.track(Self.video)?.frames ?? 0 }
        try await bob.reaches("bob sees and hears ann") { state in
          frames() > 5 && (state.others["ann"]?.track(Self.audio)?.energy ?? 0) > 1000
        }
        try await ann.reaches("ann hears bob") { ($0.others["bob"]?.track(Self.audio)?.energy ?? 0) > 1000 }
        let (sid, tracks) = (ann.state?.me.sid, bob.state?.others["ann"]?.tracks.keys.sorted())
        for round in 1...2 {
          let before = frames()
          try ann.tell("simulate SIMULATE_SIGNAL_RECONNECT")
          try await ann.reaches("ann is connected again") { state in
            state.events.filter { $0 == "reconnected" }.count == round && state.connected
          }
          try bob.tell("data reliable all again \(round)")
          try await ann.reaches("data arrives") { $0.data.last?.text == "\(round)" }
          try ann.tell("data reliable all back \(round)")
          try await bob.reaches("in both directions, and pictures") { state in
            state.data.last?.text == "\(round)" && state.data.last?.topic == "back" && frames() > before + 10
          }
          try await ann.reaches("ann hears bob") { ($0.others["bob"]?.track(Self.audio)?.energy ?? 0) > 1000 }
        }
        #expect(ann.state?.me.sid == sid && bob.state?.others["ann"]?.sid == sid)
        #expect(bob.state?.others["ann"]?.tracks.keys.sorted() == tracks)
        #expect(bob.state?.events.contains { $0.hasPrefix("left") } == false, "\(bob.state?.events ?? [])")
        #expect(try await server.metric("roomserver_resumes_total") == 2)
        // Negotiation continues on both connections.
        try ann.tell("unpublish video")
        try await bob.reaches("the video is gone") { $0.others["ann"]?.tracks.count == 1 }
        try ann.tell("publish video")
        try bob.tell("publish video")
        try await bob.reaches("the next video is there") { _ in frames() > 5 }
        try await ann.reaches("and bob's") { ($0.others["bob"]?.track(Self.video)?.frames ?? 0) > 5 }
        try ann.tell("simulate SIMULATE_FULL_RECONNECT")
        try await ann.reaches("ann begins anew") { state in
          state.connected && state.events.filter { $0 == "reconnected" }.count == 3
        }
        try await bob.reaches("and is seen again") { state in state.others["ann"]?.sid != sid && frames() > 5 }
      }
    }

    @Test(
      "two clients return from a network cut of 20 s, the JavaScript SDK to the same session; they learn what changed meanwhile",
      .timeLimit(.minutes(3)))
    func cut() async throws {
      try await withServer(
        grace: .seconds(60),
        adjust: {
          $0.media.announced = ["127.0.0.2"]
          $0.media.tcp = false
        }
      ) { server in
        let links = try server.mediaPorts.map { try LossyLink(to: $0, on: 0x7F00_0002, port: $0, seed: 1) }
        // Only those who use the relay lose their media, too.
        let relay = try await TCPRelay.start(to: try #require(URLComponents(string: server.http(""))?.port))
        defer { relay.stop() }
        let ann = try await join(server, as: "ann", by: relay.port)
        try ann.tell("publish video")
        let page = try await LiveKitPage(
          Self.url(server, relay.port), token: try server.liveKitToken("page", room: "demo"))
        try await page.connect()
        try await page.run("await room.localParticipant.setMicrophoneEnabled(true)")
        let bob = try await Participant.join(server, as: "bob")
        let carl = try await Participant.join(server, as: "carl")
        try await bob.publish(video: .vp8, tone: 440)
        try await eventually("all receive each other") {
          let seen = try await page.state()
          return bob.pictures(of: "ann").decoded > 5 && bob.sound(of: "page").isFresh && seen.frames(of: "ann") > 5
            && seen.frames(of: "bob") > 5
        }
        let sid = try await page.state().sid

        relay.stall(newOnes: true)
        for link in links {
          for direction in [LossyLink.Direction.toTarget, .toClient] { link.set(direction, to: LinkConditions(loss: 1)) }
        }
        let start = ContinuousClock.now
        await carl.leave()
        let change = #"{"set":{"metadata":"changed"}}"#
        #expect(try await server.api("POST", "/v1/rooms/demo/calls/setAttributes", json: change).status == 200)
        try await LiveKitAdmin(server: server).call(
          "send_data", #"{"room": "demo", "data": "\#(Data("missed".utf8).base64EncodedString())", "topic": "t"}"#)
        try await eventually("20 s have passed") { ContinuousClock.now - start > .seconds(20) }
        relay.resume()
        for link in links { for direction in [LossyLink.Direction.toTarget, .toClient] { link.set(direction, to: .perfect) } }
        let mended = ContinuousClock.now

        try await ann.reaches("ann is back") { $0.events.contains("reconnected") && $0.connected && $0.others["page"] != nil }
        print("The Python SDK is back \(ContinuousClock.now - mended) after the network")
        try await eventually("the page is back") { try await page.state().state == "connected" }
        print("The JavaScript SDK is back \(ContinuousClock.now - mended) after the network")
        let (annFrames, pageSeen) = (bob.pictures(of: "ann").decoded, try await page.state().frames(of: "bob"))
        try await eventually("all receive each other again") {
          let seen = try await page.state()
          return bob.pictures(of: "ann").decoded > annFrames + 10 && seen.frames(of: "bob") > pageSeen + 10
            && seen.frames(of: "ann") > 10
        }
        try await ann.reaches("ann knows what changed") { $0.others["carl"] == nil && $0.metadata == "changed" }
        try await eventually("the page gets what was sent meanwhile") {
          try await page.state().data.contains("t missed")
        }
        print("Data that was sent during the cut is there \(ContinuousClock.now - mended) after the network")
        let seen = try await page.state()
        #expect(seen.sid == sid, "the page resumed: \(seen.events)")
        #expect(seen.events.contains("left carl") && !seen.events.contains("left bob"), "\(seen.events)")
        try await page.close()
        await bob.leave()
      }
    }

    @Test("a token that has expired is refused; a client that is in the room got newer ones, and returns with them")
    func expired() async throws {
      try await withServer { server in
        let late = try LiveKitPeer(
          Self.url(server),
          token: try server.liveKitToken("late", room: "demo") { $0.expires = Date(timeIntervalSinceNow: -70) })
        try await eventually("the client learns why") {
          late.failure?.contains("401") == true && late.failure?.contains("expired") == true
        }
        // Clocks may differ by a minute: this one is valid for four seconds more.
        let end = Date(timeIntervalSinceNow: 4)
        let token = try server.liveKitToken("ann", room: "demo") { $0.expires = end.addingTimeInterval(-60) }
        let ann = try LiveKitPeer(Self.url(server), token: token)
        try await ann.reaches("ann is connected") { $0.connected }
        try await eventually("its token has expired") { Date.now > end.addingTimeInterval(1) }
        let again = try LiveKitPeer(Self.url(server), token: token)
        try await eventually("nobody joins with it") { again.failure?.contains("401") == true }
        let sid = ann.state?.me.sid
        try ann.tell("simulate SIMULATE_SIGNAL_RECONNECT")
        try await ann.reaches("ann resumes") { $0.events.contains("reconnected") && $0.me.sid == sid }
        try ann.tell("simulate SIMULATE_FULL_RECONNECT")
        try await ann.reaches("ann joins anew") { state in
          state.connected && state.events.filter { $0 == "reconnected" }.count == 2
        }
        #expect(ann.state?.reason == nil)
      }
    }

    @Test(
      "clients return to a server that is killed and started again: they publish again and receive each other",
      .timeLimit(.minutes(3)))
    func killed() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let arguments = ["--data", data, "--workers", "1"]
      let first = try await ServerProcess(arguments)
      let url = "ws://127.0.0.1:\(first.port)"
      let ann = try LiveKitPeer(url, token: try first.liveKitToken("ann", room: "demo"))
      try await ann.reaches("ann is connected") { $0.connected }
      try ann.tell("publish video")
      try ann.tell("publish audio")
      try ann.tell(#"rpc @room takeSeat {"index": 1}"#)
      let page = try await LiveKitPage(url, token: try first.liveKitToken("page", room: "demo"))
      try await page.connect()
      try await page.publish(colour: "#20c020")
      let bob = try await Participant.join(first, room: "demo", as: "bob")
      func receive(after before: (ann: Int, page: Int, bob: Int)) async throws {
        try await eventually("all receive each other", within: .seconds(60)) {
          let seen = try await page.state()
          return (ann.state?.others["page"]?.track(Self.video)?.frames ?? 0) > before.ann + 5
            && seen.frames(of: "ann") > before.page + 5 && bob.pictures(of: "ann").decoded > before.bob + 5
            && bob.sound(of: "ann").hears(440)
        }
      }
      try await receive(after: (0, 0, 0))
      try await ann.reaches("ann has a seat") { $0.me.attributes["seat"] == "1" }
      let sid = try await page.state().sid

      first.kill()
      let second = try await ServerProcess(arguments, port: first.port)
      let start = ContinuousClock.now
      try await ann.reaches("ann is back") { $0.connected && $0.events.contains("reconnected") }
      try await eventually("the page is back", within: .seconds(60)) {
        let state = try await page.state()
        return state.state == "connected" && state.sid != sid
      }
      try await receive(after: (0, 0, bob.pictures(of: "ann").decoded))
      print("All receive each other \(ContinuousClock.now - start) after the server has started again")
      try await ann.reaches("ann has kept the seat") { $0.me.attributes["seat"] == "1" }
      #expect(ann.state?.reason == nil)
      await bob.leave()
      try await page.close()
      second.kill()
    }
  }
}
