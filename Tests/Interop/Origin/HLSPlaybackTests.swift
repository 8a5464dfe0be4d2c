import RoomChromium
import Foundation
import RoomLiveOrigin
import RoomServer
import RoomTestSupport
import Testing

@Suite("HLS with third-party players", .serialized)
struct HLSPlaybackTests {
  private func open(_ configuration: inout ServerConfiguration) { configuration.origin.publishesOpenly = true }

  /// Waits until the stream can be played.
  private func isPublished(_ server: TestServer) async throws {
    try await eventually("the stream is published") { try await server.metric("roomserver_origin_streams") == 1 }
  }

  @Test("ffprobe plays ffmpeg's stream: all video and audio, with increasing times and no gaps")
  func ffprobe() async throws {
    try await withServer(adjust: open) { server in
      let encoder = try LiveEncoder(server.rtmp("live/studio"))
      defer { encoder.end() }
      try await isPublished(server)
      let probe = try await LiveProbe.read(server.http("/live/studio.m3u8"), seconds: 6)
      #expect(probe.video?.codec_name == "h264" && probe.audio?.codec_name == "aac")
      #expect(probe.video?.width == 320 && probe.video?.height == 180)
      let (pictures, sound) = (probe.steps("video"), probe.steps("audio"))
      #expect(pictures.count > 70 && pictures.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(pictures)")
      #expect(sound.count > 200 && sound.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(sound)")
    }
  }

  /// The state of a `<video>` element in Chromium.
  private struct Playback: Decodable {
    var time: Double
    var width: Int
    var height: Int
    var frames: Int
    var error: String?
    /// Red, green and blue at the centre.
    var colour: [Int]
  }

  @Test("Chromium plays HLS natively: time advances, the size and the colour are right")
  func chromium() async throws {
    try await withServer(adjust: open) { server in
      let encoder = try LiveEncoder(server.rtmp("live/studio"), picture: "color=c=0xe02030:s=320x180:r=15")
      defer { encoder.end() }
      try await isPublished(server)
      let page = try await BrowserPage.open(in: .shared())
      try await page.go(to: server.http("/healthz"))
      try await page.wait(until: "document.readyState === 'complete' && location.pathname === '/healthz'")
      let _: Bool = try await page.evaluate(
        """
        (() => {
          window.video = document.createElement('video')
          Object.assign(video, { muted: true, autoplay: true, src: '/live/studio.m3u8' })
          document.body.append(video)
          return true
        })()
        """)
      func playback() async throws -> Playback {
        try await page.evaluate(
          """
          (() => {
            const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
            const context = canvas.getContext('2d')
            if (video.videoWidth) context.drawImage(video, video.videoWidth / 2, video.videoHeight / 2, 1, 1, 0, 0, 1, 1)
            return {
              time: video.currentTime, width: video.videoWidth, height: video.videoHeight,
              frames: video.getVideoPlaybackQuality().totalVideoFrames, error: video.error && video.error.message,
              colour: Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3)),
            }
          })()
          """)
      }
      var begun: Playback?
      try await eventually("Chromium plays for five seconds", within: .seconds(60)) {
        let now = try await playback()
        if let error = now.error { throw DevTools.Failure(description: "Chromium failed: \(error)") }
        if begun == nil, now.frames > 0, now.time > 0 { begun = now }
        return begun.map { now.time - $0.time > 5 && now.frames - $0.frames > 50 } ?? false
      }
      let end = try await playback()
      #expect(end.width == 320 && end.height == 180)
      // Red, whichever matrix Chromium assumes for a picture without colour information.
      #expect(end.colour[0] > 190 && end.colour[1] < 80 && end.colour[2] < 80, "\(end.colour)")
      try await page.close()
    }
  }

  @Test("a variant has its size and rate over HTTP-FLV, RTMP and HLS, is created once, and ends with its last viewer")
  func variant() async throws {
    try await withServer {
      open(&$0)
      $0.origin.variants.idleTime = .seconds(1)
      $0.origin.hls.idleTime = .seconds(4)
    } _: { server in
      let encoder = try LiveEncoder(server.rtmp("live/studio"))
      defer { encoder.end() }
      try await isPublished(server)
      async let flv = LiveProbe.read(server.http("/live/studio_240_240_10.flv"), seconds: 4)
      async let rtmp = LiveProbe.read(server.rtmp("live/studio_240_240_10"), seconds: 4)
      async let hls = LiveProbe.read(server.http("/live/studio_240_240_10.m3u8"), seconds: 4)
      for (way, probe) in [("FLV", try await flv), ("RTMP", try await rtmp), ("HLS", try await hls)] {
        #expect(probe.video?.width == 240 && probe.video?.height == 240 && probe.video?.codec_name == "h264", "\(way)")
        let (pictures, sound) = (probe.steps("video"), probe.steps("audio"))
        // 10 of 15 fps: a step of two pictures or of one.
        #expect(pictures.count > 20 && pictures.allSatisfy { $0 > 0.05 && $0 < 0.16 }, "\(way): \(pictures)")
        let mean = pictures.reduce(0, +) / Double(max(1, pictures.count))
        #expect(abs(mean - 0.1) < 0.01, "\(way): \(mean)")
        #expect(sound.count > 100 && sound.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(way): \(sound)")
        let (picture, tone) = (probe.times["video"]?.first ?? 0, probe.times["audio"]?.first ?? 0)
        #expect(abs(picture - tone) < 0.25, "\(way): starts at \(picture) and \(tone)")
      }
      #expect(try await server.metric("roomserver_origin_variants_total") == 1)
      try await eventually("nobody watches the variant") {
        try await server.metric("roomserver_origin_variants") == 0
      }
      // A rendition that has ended is created again for a viewer who returns.
      let again = try await LiveProbe.read(server.http("/live/studio_240_240_10.flv"), seconds: 1)
      #expect(again.video?.width == 240)
      #expect(try await server.metric("roomserver_origin_variants_total") == 2)
    }
  }

  @Test("only listed variants of existing streams are created, up to a limit")
  func noVariant() async throws {
    try await withServer {
      open(&$0)
      $0.origin.variants.limit = 1
    } _: { server in
      let encoder = try LiveEncoder(server.rtmp("live/studio"))
      defer { encoder.end() }
      try await isPublished(server)
      for name in ["studio_241_240_10", "studio_240_240_11", "other_240_240_10", "studio_240_240_10_320_180_10"] {
        #expect(try await server.api("GET", "/live/\(name).m3u8").status == 404, "\(name)")
        #expect(try await server.api("GET", "/live/\(name).flv").status == 404, "\(name)")
      }
      #expect(try await server.metric("roomserver_origin_variants_total") == 0)
      async let first = LiveProbe.read(server.http("/live/studio_176_144_15.flv"), seconds: 2)
      try await eventually("a variant is made") { try await server.metric("roomserver_origin_variants") == 1 }
      #expect(try await server.api("GET", "/live/studio_240_180_15.flv").status == 503)
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"variants\"}") == 1)
      #expect(try await first.video?.width == 176)
    }
  }
}
