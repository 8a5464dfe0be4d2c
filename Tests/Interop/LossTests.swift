import RoomLinkModel
import RoomLossyLink
import RoomClient
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A bad network")
  struct LossTests {
    @Test(
      "with 5 % loss in each direction video and audio continue", .timeLimit(.minutes(3)), arguments: [VideoCodec.h264, .vp8])
    func loss(codec: VideoCodec) async throws {
      try await withServer { server in
        let link = BadNetwork(LinkConditions(loss: 0.05, delay: 20_000, jitter: 5_000), seed: 5)
        let alice = try await Participant.join(server, as: "alice", through: link)
        let bob = try await Participant.join(server, as: "bob", through: link)
        try await alice.publish(video: codec, tone: 440)
        try await eventually("bob sees and hears alice") {
          bob.pictures(of: "alice").decoded > 0 && bob.sound(of: "alice").hears(440)
        }
        bob.startMeasuring("alice")
        let heardBefore = try #require(bob.listening(to: "alice"))
        let seconds = TestLength.pick(10, long: 20)
        try await eventually("pictures and audio arrive in time", within: .seconds(seconds)) {
          guard let pictures = bob.pictures(of: "alice").measured, let heard = bob.listening(to: "alice") else { return false }
          return pictures.sent >= 10 * seconds && heard.samples - heardBefore.samples > seconds * 36_000
            && link.lost.toServer > seconds && link.lost.toClients > seconds
        }
        let pictures = try #require(bob.pictures(of: "alice").measured)
        let heard = try #require(bob.listening(to: "alice"))

        #expect(pictures.sent >= 10 * seconds, "\(pictures)")
        #expect(Double(pictures.decoded) >= 0.95 * Double(pictures.sent), "\(pictures)")
        #expect(pictures.oldestShown < 1000, "\(pictures)")
        #expect(heard.samples - heardBefore.samples > seconds * 36_000, "\(heard)")
        #expect(heard.gapShare(since: heardBefore) < 0.01, "\(heard)")
        #expect(link.lost.toServer > seconds && link.lost.toClients > seconds)
        for participant in [alice, bob] { await participant.leave() }
      }
    }

    @Test("duplicated packets are dropped, without other effects")
    func replay() async throws {
      try await withServer { server in
        let link = BadNetwork(LinkConditions(duplication: 0.3), seed: 6)
        let alice = try await Participant.join(server, as: "alice", through: link)
        let bob = try await Participant.join(server, as: "bob", through: link)
        try await alice.publish(video: .vp8, tone: 440)
        try await eventually("bob sees and hears alice") {
          bob.pictures(of: "alice").decoded > 60 && bob.sound(of: "alice").hears(440)
        }
        #expect(try await server.metric(#"roomserver_media_dropped_total{reason="replay"}"#) > 50)
        #expect(bob.pictures(of: "alice").repeated == 0)
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
