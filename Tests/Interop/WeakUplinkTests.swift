import RoomClient
import RoomCodecs
import RoomLinkModel
import RoomMedia
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A weak uplink")
  struct WeakUplinkTests {
    @Test("the video steps down, pauses and returns, and the sound has no hole", .timeLimit(.minutes(3)))
    func steps() async throws {
      try await withServer { server in
        let link = BadNetwork(LinkConditions(delay: 20_000), seed: 7)
        link.limitToServer(3_000_000)
        let alice = try await Participant.join(server, as: "alice", through: link)
        let bob = try await Participant.join(server, as: "bob")
        let settings = VideoEncoderSettings(width: 640, height: 360, fps: 24, bitrate: 600_000)
        let camera = try VideoSource.testPattern(VideoConfiguration(speed: .ultrafast, settings))
        camera.adaptation = VideoAdaptation(minBitrate: 240_000)
        let microphone = try AudioSource.tone(frequency: 440)
        try await alice.room.publish([camera.track, microphone.track])
        try await eventually("bob sees and hears alice") {
          bob.pictures(of: "alice").decoded > 0 && bob.sound(of: "alice").hears(440)
        }
        let before = try #require(bob.listening(to: "alice"))
        let full = camera.quality
        #expect(full == VideoQuality(width: 640, height: 360, fps: 24))
        let qualities = camera.qualities
        let lowest = Task { await qualities.filter { !$0.isPaused }.map(\.fps).reduce(24) { min($0, $1) } }

        link.limitToServer(220_000)
        try await eventually("the frame rate falls", within: .seconds(15)) { camera.quality.fps < 24 }
        link.limitToServer(75_000)
        try await eventually("the video pauses", within: .seconds(15)) { camera.quality.isPaused }
        let paused = bob.pictures(of: "alice").decoded
        link.limitToServer(3_000_000)
        try await eventually("the video returns in full") { camera.quality == full }
        try await eventually("bob sees it") { bob.pictures(of: "alice").decoded > paused + 24 }

        let heard = try #require(bob.listening(to: "alice"))
        #expect(heard.gapShare(since: before) < 0.03, "\(heard)")
        camera.stop()
        for participant in [alice, bob] { await participant.leave() }
        lowest.cancel()
        #expect(await lowest.value >= VideoAdaptation.minFPS)
      }
    }

    @Test(
      "a receiver on a simulcast gets the layer that it selects", .timeLimit(.minutes(3)), arguments: [VideoCodec.h264, .vp8])
    func layers(codec: VideoCodec) async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob")
        let settings = VideoEncoderSettings(width: 640, height: 360, fps: 24, bitrate: 600_000)
        let camera = try SimulcastSource(
          VideoConfiguration(codec: codec, speed: .ultrafast, settings),
          smaller: [.smallLayer(of: settings), .middleLayer(of: settings)])
        try await alice.room.publish([camera.track])
        let feeding = try camera.feed()
        defer { feeding.cancel() }
        let track = try await eventually("bob receives the track") { bob.remoteTracks(of: "alice").first }
        let playback = try VideoPlayback(track)
        let width = Shared(0)
        let reader = Task { for await picture in playback.frames { width.value = picture.width } }
        defer { reader.cancel() }
        for (limit, expected) in [(nil, 640), (180, 320), (100, 176), (nil, 640)] as [(Int?, Int)] {
          try await track.setReception(maxHeight: limit)
          try await eventually("pictures of \(expected) pixels") { width.value == expected }
        }
        try await track.setReception(maxHeight: 100)
        try await eventually("the other layers are not encoded") { camera.activeLayers == ["q"] }
        // A switch may cut the last frame of the old layer; a key frame follows at once.
        #expect(playback.statistics.failed <= 1)
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
