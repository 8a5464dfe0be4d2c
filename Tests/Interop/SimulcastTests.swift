import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("simulcast of Chromium")
  struct SimulcastTests {
    @Test("a browser receives each layer that it selects, without a break", arguments: ["VP8", "H264"])
    func layers(codec: String) async throws {
      try await withServer { server in
        let publisher = try await BrowserClient.open()
        let viewer = try await BrowserClient.open()
        try await publisher.join(url: server.url, token: try await server.token(user: "publisher"))
        try await viewer.join(url: server.url, token: try await server.token(user: "viewer"))
        let video = BrowserClient.Video(codec: codec, simulcast: true, width: 960, height: 540)
        let track = try #require(try await publisher.publish(video: video).first)
        func picture() async throws -> BrowserClient.Received? { try await viewer.received().first { $0.kind == .video } }
        // The largest layer comes last, as the browser's estimate grows.
        try await eventually("the largest layer") { try await picture()?.height == 540 }
        for (limit, expected) in [(270, 270), (200, 135), (1000, 540), (135, 135), (540, 540)] {
          let before = try #require(try await picture())
          try await viewer.request(
            "setReception", ReceptionParams(tracks: [TrackReception(trackId: TrackID(track), maxHeight: limit)]))
          try await eventually("a height of \(expected)") {
            // H.264 has no odd heights.
            abs((try await picture()?.height ?? 0) - expected) <= 1
          }
          let changed = try #require(try await picture())
          try await eventually("pictures go on") { try await picture()?.framesDecoded ?? 0 >= changed.framesDecoded + 10 }
          #expect(changed.framesDecoded >= before.framesDecoded)
          let frozen = (try await picture()?.frozen ?? 0) - before.frozen
          // A switch without a key frame would take seconds; two busy browsers on two cores take some tenths.
          #expect(frozen < 1.5, "the picture stood still for \(frozen) s at \(before.height) -> \(expected)")
        }
        try await viewer.request(
          "setReception", ReceptionParams(tracks: [TrackReception(trackId: TrackID(track), paused: true)]))
        try await eventually("layers that nobody receives are switched off") {
          try await publisher.sending().map(\.rid) == ["q"]
        }
        let paused = try #require(try await picture()).framesDecoded
        try await viewer.request("setReception", ReceptionParams(tracks: [TrackReception(trackId: TrackID(track))]))
        try await eventually("the largest layer returns") {
          let now = try await picture()
          return now?.height == 540 && now?.framesDecoded ?? 0 > paused + 10
        }
        #expect(try await viewer.state().failure == nil)
        #expect(try await publisher.state().failure == nil)
        for browser in [publisher, viewer] { try await browser.close() }
      }
    }
  }
}
