import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("temporal layers")
  struct TemporalLayerTests {
    /// Selects frame rates of 15 frames a second in three temporal layers, and waits until a browser decodes them.
    private func select(_ viewer: BrowserClient, _ track: TrackID, as kind: String) async throws {
      func picture() async throws -> BrowserClient.Received? { try await viewer.received().first { $0.kind == .video } }
      try await eventually("the picture of \(kind)") { try await picture()?.framesDecoded ?? 0 > 15 }
      for (limit, expected) in [(nil, 11...17), (8, 6...9), (4, 3...5), (8, 6...9), (nil, 11...17), (4, 3...5), (nil, 11...17)]
        as [(Int?, ClosedRange<Int>)]
      {
        try await viewer.request(
          "setReception", ReceptionParams(tracks: [TrackReception(trackId: track, maxFps: limit)]))
        let before = try #require(try await picture())
        try await eventually("\(expected) frames a second of \(kind)") {
          let first = try await picture()?.framesDecoded ?? 0
          try await Task.sleep(for: .seconds(2))
          return expected.contains(((try await picture()?.framesDecoded ?? 0) - first + 1) / 2)
        }
        let frozen = (try await picture()?.frozen ?? 0) - before.frozen
        #expect(frozen < 1.5, "the picture stood still for \(frozen) s at \(limit ?? 0) frames a second")
      }
    }

    @Test("a browser decodes each frame rate of another's VP8 without a break", .timeLimit(.minutes(4)))
    func browsers() async throws {
      try await withServer { server in
        let publisher = try await BrowserClient.open()
        let viewer = try await BrowserClient.open()
        try await publisher.join(url: server.url, token: try await server.token(user: "publisher"))
        try await viewer.join(url: server.url, token: try await server.token(user: "viewer"))
        let track = try #require(
          try await publisher.publish(video: BrowserClient.Video(codec: "VP8", layers: "L1T3")).first)
        try await select(viewer, TrackID(track), as: "a browser")
        for browser in [publisher, viewer] {
          #expect(try await browser.state().failure == nil)
          try await browser.close()
        }
      }
    }

    @Test("a browser decodes each frame rate of this client's VP8 without a break", .timeLimit(.minutes(4)))
    func client() async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        let viewer = try await BrowserClient.open()
        try await viewer.join(url: server.url, token: try await server.token(user: "viewer"))
        let camera = try VideoSource.testPattern(
          VideoConfiguration(
            codec: .vp8,
            VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 300_000, temporalLayers: 3)))
        try await alice.room.publish([camera.track])
        let track = try await eventually("the track") { camera.track.trackId }
        try await select(viewer, track, as: "this client")
        try await viewer.close()
        await alice.leave()
      }
    }
  }
}
