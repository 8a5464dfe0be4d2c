import RoomClient
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A flood of garbage")
  struct FloodTests {
    @Test("10,000 random datagrams per second do not affect a room", .timeLimit(.minutes(3)))
    func flood() async throws {
      try await withServer(adjust: { $0.media.workers = 1 }) { server in
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob")
        try await alice.publish(video: .vp8, tone: 440)
        try await eventually("bob sees and hears alice") {
          bob.pictures(of: "alice").decoded > 0 && bob.sound(of: "alice").hears(440)
        }
        let port = try #require(server.mediaPorts.first)
        let held = ["ring_bytes", "transports", "tracks", "subscriptions"].map { "roomserver_\($0)" }
        var before: [Int] = []
        for name in held { before.append(try await server.metric(name)) }
        let received = try await server.metric("roomserver_media_packets_received_total")
        let heardBefore = try #require(bob.listening(to: "alice"))
        bob.startMeasuring("alice")

        let seconds = TestLength.pick(10, long: 30)
        let flood = Flood(port: port, perSecond: 10_000, count: seconds * 10_000, seed: 1)
        defer { flood.stop() }
        try await eventually("the flood is over", within: .seconds(90)) { flood.sent >= seconds * 10_000 }

        let pictures = try #require(bob.pictures(of: "alice").measured)
        let heard = try #require(bob.listening(to: "alice"))
        #expect(try await server.metric("roomserver_media_packets_received_total") - received > seconds * 9_600)
        #expect(pictures.sent >= 10 * seconds, "\(pictures)")
        #expect(Double(pictures.decoded) >= 0.99 * Double(pictures.sent), "\(pictures)")
        #expect(heard.gapShare(since: heardBefore) < 0.01, "\(heard)")
        // The server allocated nothing for any of it.
        var after: [Int] = []
        for name in held { after.append(try await server.metric(name)) }
        #expect(after == before)
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
