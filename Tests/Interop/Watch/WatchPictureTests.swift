import Foundation
import FoundationNetworking
import RoomCodecs
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The picture of a shared link")
  struct WatchPictureTests {
    /// Returns the page's `og:image`, as a crawler without JavaScript finds it.
    private static func link(_ page: String) async throws -> URL {
      let (html, _) = try await URLSession.shared.data(from: try #require(URL(string: page)))
      let text = String(decoding: html, as: UTF8.self)
      let link = try #require(text.firstMatch(of: /property="og:image" content="([^"]+)"/)).1
      return try #require(URL(string: String(link)))
    }

    @Test("a room on air has a JPEG file of its picture, which is made once for all")
    func room() async throws {
      try await withServer { server in
        try await server.openRoom()
        let link = try await Self.link(server.http("/watch/demo"))
        let (_, none) = try await URLSession.shared.data(from: link)
        #expect((none as? HTTPURLResponse)?.statusCode == 404)
        let host = try await server.goLive()
        var file = Data()
        try await eventually("there is a picture") {
          let (data, answer) = try await URLSession.shared.data(from: link)
          let http = try #require(answer as? HTTPURLResponse)
          file = data
          return http.statusCode == 200 && http.value(forHTTPHeaderField: "Content-Type") == "image/jpeg"
        }
        let (again, answer) = try await URLSession.shared.data(from: link)
        #expect(again == file)
        #expect((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "Cache-Control") == "public, max-age=10")
        let picture = try Picture(decoding: [UInt8](file))
        #expect(picture.width == 320 && picture.height == 180)
        #expect(ClockBlocks.read(picture.frame) != nil, "this is the host's picture")
        await host.leave()
      }
    }

    @Test("a stream of an encoder has one too, also with B-frames, and one larger than 1280 pixels is made smaller")
    func stream() async throws {
      try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
        let encoder = try LiveEncoder(
          server.rtmp("live/studio"), picture: "color=c=0xe02030:s=1920x1080:r=5", arguments: ["-bf", "2"])
        let link = try await Self.link(server.http("/watch/live/studio"))
        var file = Data()
        try await eventually("there is a picture") {
          let (data, answer) = try await URLSession.shared.data(from: link)
          file = data
          return (answer as? HTTPURLResponse)?.statusCode == 200
        }
        let picture = try Picture(decoding: [UInt8](file))
        #expect(picture.width == 1280 && picture.height == 720)
        encoder.end()
      }
    }
  }
}
