import RoomClient
import RoomCodecs
import RoomLinkModel
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A thin downlink")
  struct ThinDownlinkTests {
    /// The last states that a client received.
    private actor LastStates {
      private(set) var stream: StreamInfo?
      private(set) var quality: UserQuality?

      func follow(_ events: AsyncStream<RoomEvent>, user: UserID) async {
        for await event in events {
          switch event {
          case .streamsChanged(let streams): stream = streams.last
          case .networkQualityChanged(let users): quality = users.last { $0.userId == user } ?? quality
          default: break
          }
        }
      }
    }

    @Test("video is paused with a reason and resumes, and the sound has no hole", .timeLimit(.minutes(3)))
    func pauses() async throws {
      try await withServer { server in
        let link = BadNetwork(LinkConditions(delay: 20_000), seed: 11)
        link.limitToClients(3_000_000)
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob", through: link)
        // Her connection carries everything, so alice is not asked for less.
        let carol = try await Participant.join(server, as: "carol")
        let (states, events) = (LastStates(), bob.room.events())
        let following = Task { await states.follow(events, user: "bob") }
        defer { following.cancel() }
        try await alice.publish(video: .h264, tone: 440)
        try await eventually("bob sees and hears alice") {
          bob.pictures(of: "alice").decoded > 0 && bob.sound(of: "alice").hears(440)
            && carol.pictures(of: "alice").decoded > 0
        }
        // Enough for the sound, and too little for the video.
        link.limitToClients(160_000)
        try await eventually("the video is paused") { await states.stream?.state == .paused }
        #expect(await states.stream?.reason == .bandwidth)
        try await eventually("everybody receives the quality of bob's connection") {
          await states.quality?.downlink == .bad
        }
        let before = try #require(bob.listening(to: "alice"))
        let seconds = TestLength.pick(5, long: 20)
        try await eventually("sound arrives") {
          (bob.listening(to: "alice")?.samples ?? 0) - before.samples > seconds * 48_000
        }
        let heard = try #require(bob.listening(to: "alice"))
        #expect(heard.gapShare(since: before) < 0.01, "\(heard)")

        let paused = bob.pictures(of: "alice").decoded
        link.limitToClients(3_000_000)
        try await eventually("the video resumes", within: .seconds(60)) { await states.stream?.state == .active }
        try await eventually("bob sees it") { bob.pictures(of: "alice").decoded > paused + 24 }
        for participant in [alice, bob, carol] { await participant.leave() }
      }
    }

    @Test("a simulcast is received in the layer that the downlink carries", .timeLimit(.minutes(3)))
    func layers() async throws {
      try await withServer { server in
        let link = BadNetwork(LinkConditions(delay: 20_000), seed: 12)
        link.limitToClients(5_000_000)
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob", through: link)
        let settings = VideoEncoderSettings(width: 640, height: 360, fps: 24, bitrate: 800_000)
        let camera = try SimulcastSource(
          VideoConfiguration(codec: .vp8, speed: .ultrafast, settings),
          smaller: [.smallLayer(of: settings), .middleLayer(of: settings)])
        let microphone = try AudioSource.tone(frequency: 440)
        try await alice.room.publish([camera.track, microphone.track])
        let feeding = try camera.feed()
        defer { feeding.cancel() }
        let track = try await eventually("bob receives the camera") {
          bob.remoteTracks(of: "alice").first { $0.kind == .video }
        }
        let playback = try VideoPlayback(track)
        let width = Shared(0)
        let reader = Task { for await picture in playback.frames { width.value = picture.width } }
        defer { reader.cancel() }
        try await eventually("the largest layer") { width.value == 640 }
        try await eventually("bob hears alice") { bob.sound(of: "alice").hears(440) }
        let before = try #require(bob.listening(to: "alice"))
        link.limitToClients(450_000)
        try await eventually("a smaller layer") { width.value < 640 && width.value > 0 }
        link.limitToClients(5_000_000)
        try await eventually("the largest layer again", within: .seconds(60)) { width.value == 640 }
        let heard = try #require(bob.listening(to: "alice"))
        #expect(heard.gapShare(since: before) < 0.03, "\(heard)")
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
