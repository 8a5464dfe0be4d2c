import RoomCodecs
import RoomClient
import RoomTestSupport
import Testing
import RoomProtocol

extension RealMedia {
  @Suite("RoomClient and RoomClient")
  struct ClientToClientTests {
    @Test("each receives the other's video and audio", arguments: [VideoCodec.h264, .vp8])
    func bothWays(codec: VideoCodec) async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob")
        try await alice.publish(video: codec, tone: 440, colour: 0)
        try await bob.publish(video: codec, tone: 660, colour: 1)
        for (listener, speaker, tone) in [(alice, "bob" as UserID, 660.0), (bob, "alice", 440.0)] {
          try await eventually("\(listener.user) decodes 30 pictures of \(speaker)") {
            listener.pictures(of: speaker).decoded >= 30
          }
          try await eventually("\(listener.user) hears \(speaker)'s tone") { listener.sound(of: speaker).hears(tone) }
          #expect(listener.codecs(of: speaker) == [codec.rawValue, "opus"])
          let pictures = listener.pictures(of: speaker)
          #expect(pictures.size == PictureSize(width: 320, height: 180))
          let colour = TestPattern.colours[speaker == "alice" ? 0 : 1]
          #expect(abs(pictures.chroma.u - Int(colour.u)) < 12 && abs(pictures.chroma.v - Int(colour.v)) < 12)
          #expect(pictures.illegible == 0 && pictures.repeated == 0)
        }
        await alice.leave()
        try await eventually("bob is alone") { bob.room.participants.isEmpty }
        await bob.leave()
      }
    }

    @Test("a participant who joins later receives a picture at once")
    func latecomer() async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        try await alice.publish(video: .vp8, tone: nil)
        let bob = try await Participant.join(server, as: "bob")
        try await eventually("bob sees alice") { bob.pictures(of: "alice").decoded > 0 }
        // Long after the first key frame, and long before the next regular one.
        try await eventually("alice's video continues") { bob.pictures(of: "alice").decoded > 40 }
        let carol = try await Participant.join(server, as: "carol")
        let joined = ContinuousClock.now
        try await eventually("carol sees alice") { carol.pictures(of: "alice").decoded > 0 }
        #expect(ContinuousClock.now - joined < .seconds(2))
        for participant in [alice, bob, carol] { await participant.leave() }
      }
    }

    @Test("a muted track goes silent and returns, and the others are notified")
    func mute() async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob")
        try await alice.publish(video: nil, tone: 440)
        try await eventually("bob hears alice") { bob.sound(of: "alice").hears(440) }
        try await alice.mute(true)
        try await eventually("bob is notified") { bob.remoteTracks(of: "alice").allSatisfy(\.isMuted) }
        try await eventually("bob hears nothing") { !bob.sound(of: "alice").isFresh }
        try await alice.mute(false)
        try await eventually("bob hears alice again") { bob.sound(of: "alice").hears(440) && bob.sound(of: "alice").isFresh }
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
