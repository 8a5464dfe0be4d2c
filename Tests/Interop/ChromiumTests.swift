import RoomChromium
import RoomCodecs
import RoomClient
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("RoomClient and Chromium")
  struct ChromiumTests {
    @Test(
      "each receives the other's video and audio",
      arguments: [("H264", VideoCodec.h264), ("VP8", .vp8), ("VP9", .vp9), ("AV1", .av1)])
    func bothWays(published codec: String, received: VideoCodec) async throws {
      try await withServer { server in
        let swift = try await Participant.join(server, as: "swift")
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))
        try await swift.publish(video: received, tone: 440)
        _ = try await browser.publish(video: .init(codec: codec), audio: .init(frequency: 700))

        try await eventually("the client decodes the browser's pictures") { swift.pictures(of: "browser").decoded >= 30 }
        try await eventually("the client hears the browser's tone") { swift.sound(of: "browser").hears(700) }
        #expect(swift.codecs(of: "browser") == [received.rawValue, "opus"])
        try await eventually("the browser decodes the client's pictures") {
          try await browser.received().contains { $0.kind == .video && $0.framesDecoded >= 30 && $0.width == 320 }
        }
        try await eventually("the browser hears the client's tone") {
          try await browser.received().contains { $0.kind == .audio && abs($0.frequency - 440) < 12 && $0.level > -60 }
        }
        #expect(try await browser.received().contains { $0.codec == "video/\(codec)" && $0.userId == "swift" })
        #expect(try await browser.state().failure == nil)
        try await browser.leave()
        try await eventually("the browser has left") { swift.room.participants.isEmpty }
        try await browser.close()
        await swift.leave()
      }
    }

    @Test("two browsers receive each other, one with H.264 and one with VP8")
    func twoBrowsers() async throws {
      try await withServer { server in
        let first = try await BrowserClient.open()
        let second = try await BrowserClient.open()
        try await first.join(url: server.url, token: try await server.token(user: "first"))
        try await second.join(url: server.url, token: try await server.token(user: "second"))
        _ = try await first.publish(video: .init(codec: "H264"), audio: .init(frequency: 500))
        _ = try await second.publish(video: .init(codec: "VP8"), audio: .init(frequency: 900))
        for (browser, codec, tone) in [(first, "video/VP8", 900.0), (second, "video/H264", 500)] {
          try await eventually("pictures of \(codec)") {
            try await browser.received().contains { $0.codec == codec && $0.framesDecoded >= 30 }
          }
          try await eventually("a tone of \(tone) Hz") {
            try await browser.received().contains { $0.kind == .audio && abs($0.frequency - tone) < 12 && $0.level > -60 }
          }
        }
        for browser in [first, second] {
          try await browser.leave()
          try await browser.close()
        }
      }
    }

    @Test("a browser that receives H.264 at level 3.1 also receives a larger picture at level 4.0")
    func twoLevels() async throws {
      try await withServer { server in
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))
        func pictures(_ width: Int, _ count: Int) async throws -> Bool {
          try await browser.received().contains { $0.kind == .video && $0.framesDecoded >= count && $0.width == width }
        }
        let small = try await Participant.join(server, as: "small")
        try await small.publish(video: .h264, tone: nil)
        try await eventually("the small picture") { try await pictures(320, 15) }
        let large = try await Room.connect(to: server.url, token: try await server.token(user: "large"))
        let camera = try VideoSource.testPattern(
          VideoConfiguration(speed: .ultrafast, .init(width: 1920, height: 1080, fps: 5, bitrate: 1_000_000)))
        try await large.publishVideo(camera.track)
        try await eventually("the large picture") { try await pictures(1920, 5) }
        let before = try await browser.received().first { $0.width == 320 }?.framesDecoded ?? 0
        try await eventually("the small picture continues") { try await pictures(320, before + 15) }
        #expect(try await browser.state().failure == nil)
        await large.leave()
        await small.leave()
        try await browser.close()
      }
    }

    @Test("a kicked browser is notified, with the user who kicked it")
    func kicked() async throws {
      try await withServer { server in
        let admin = try await Participant.join(server, as: "admin", grants: [.publish, .subscribe, .admin])
        let browser = try await BrowserClient.open()
        let token = try await server.token(user: "browser")
        try await browser.join(url: server.url, token: token)
        try await eventually("the browser has joined") { admin.room.participants.map(\.userId) == ["browser"] }
        try await admin.room.kick(userId: "browser")
        try await eventually("the browser is notified") { try await browser.state().ended != nil }
        let ended = try #require(try await browser.state().ended)
        #expect(ended.reason == .kickedOut)
        #expect(ended.by == "admin")
        try await eventually("the browser is gone") { admin.room.participants.isEmpty }
        let again = try await BrowserClient.open()
        await #expect(throws: DevTools.Failure.self, "its token is dead") {
          try await again.join(url: server.url, token: token)
        }
        try await again.close()
        try await browser.close()
        await admin.leave()
      }
    }

    @Test("a closed tab leaves the room")
    func closedTab() async throws {
      try await withServer(grace: .seconds(1)) { server in
        let swift = try await Participant.join(server, as: "swift")
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))
        _ = try await browser.publish(video: .init(codec: "VP8"), audio: .init(frequency: 700))
        try await eventually("pictures flow") { swift.pictures(of: "browser").decoded > 0 }
        try await browser.close()
        try await eventually("the browser has left") { swift.room.participants.isEmpty }
        await swift.leave()
      }
    }
  }
}
