import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("LiveKit's SDKs: a second codec", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitBackupTests {
    @Test(
      "the JavaScript SDK sends VP8 beside VP9 while a viewer without VP9 is there; the server does not transcode",
      .timeLimit(.minutes(3)))
    func page() async throws {
      try await withServer { server in
        let page = try await LiveKitPage(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("page", room: "demo"))
        try await page.connect()
        try await page.publish(colour: "#d0c020", options: "videoCodec: 'vp9', backupCodec: {codec: 'vp8'}")
        // The codecs that the page sends, with the frames that it encoded of each.
        let encoded = """
          (async () => {
            const frames = {}
            const stats = await test.room.engine.pcManager.publisher._pc.getStats()
            stats.forEach(item => {
              if (item.type !== 'outbound-rtp' || item.kind !== 'video' || !item.codecId) return
              const codec = stats.get(item.codecId).mimeType.slice(6)
              frames[codec] = (frames[codec] ?? 0) + item.framesEncoded
            })
            return frames
          })()
          """
        func frames() async throws -> [String: Int] { try await page.page.evaluate(encoded) }
        try await eventually("the page sends VP9") { (try await frames()["VP9"] ?? 0) > 5 }
        let first = try await frames()
        #expect(first["VP8"] == nil)

        // aiortc decodes VP8 and H.264.
        let viewer = try HTTPPeer.aiortc(
          "play", server.http("/whep/demo/page"), try await server.token(user: "wall", grants: .subscribe))
        try await viewer.decodes("pictures of the page") { ($0.frames ?? 0) > 10 }
        #expect((try await frames()["VP8"] ?? 0) > 5)
        // Who decodes VP9 gets it.
        let swift = try await Participant.join(server, as: "swift")
        try await eventually("a client sees the page") { swift.pictures(of: "page").decoded > 5 }
        #expect(swift.codecs(of: "page") == ["vp9"] && swift.room.participants.map(\.tracks.count) == [1])
        #expect(try await server.metric("roomserver_published_tracks") == 1)
        #expect(try await server.metric("roomserver_renditions_total") == 0)

        #expect(try await viewer.end() == 200)
        let before = try await frames()
        let active = """
          [...[...test.room.localParticipant.trackPublications.values()][0].track.simulcastCodecs.values()]
            .flatMap(codec => codec.sender.getParameters().encodings).some(encoding => encoding.active)
          """
        try await page.page.wait(until: "!(\(active))", within: .seconds(40))
        let after = try await frames()
        #expect((after["VP9"] ?? 0) > (before["VP9"] ?? 0), "the first codec continues")
        await swift.leave()
        try await page.close()
      }
    }
  }
}
