import RoomClient
import RoomProtocol
import Synchronization
import Testing

@testable import RoomMedia

@Suite("The URL of an audience's stream")
struct AudienceURLTests {
  private final class Server: Sendable {
    let answers: Mutex<[Result<PlayURLs, any Error>]>
    let asked = Mutex<[PlayPicture]>([])
    let now = Mutex<Int64>(0)

    init(_ answers: [Result<PlayURLs, any Error>]) { self.answers = Mutex(answers) }

    func urls(_ mode: AudienceMode, prefersRTMP: Bool = false) -> AudienceURLs {
      AudienceURLs(mode, prefersRTMP: prefersRTMP, now: { self.now.withLock { $0 } }) { picture in
        self.asked.withLock { $0.append(picture) }
        return try self.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
      }
    }
  }

  private static let play = PlayURLs(
    watch: "w", rtmp: "rtmp://h/live/a?t=1", flv: "http://h/live/a.flv?t=1", expiresAt: 1000,
    others: ["a": "https://cdn/a.m3u8", "b": "https://cdn/a.flv", "c": "rtmp://cdn/live/a"])

  @Test("each mode has its URL, and the picture is asked for")
  func modes() async throws {
    let server = Server([.success(Self.play)])
    let picture = PlayPicture(width: 640, height: 360, fps: 15)
    #expect(try await server.urls(.ownCDN(picture)).next() == "http://h/live/a.flv?t=1")
    #expect(try await server.urls(.ownCDN(), prefersRTMP: true).next() == "rtmp://h/live/a?t=1")
    #expect(try await server.urls(.thirdParty()).next() == "https://cdn/a.flv", "the first that is not HLS")
    #expect(try await server.urls(.thirdParty(url: "rtmp://x/y/z")).next() == "rtmp://x/y/z")
    #expect(server.asked.withLock { $0 } == [picture, .original, .original])
  }

  @Test("each connection has a new signature; without the room, the last one is used until it expires")
  func renewal() async throws {
    var later = Self.play
    later.flv = "http://h/live/a.flv?t=2"
    let server = Server([.success(Self.play), .success(later), .failure(RoomClientError.connectionLost("x"))])
    let urls = server.urls(.ownCDN())
    #expect(try await urls.next() == "http://h/live/a.flv?t=1")
    #expect(try await urls.next() == "http://h/live/a.flv?t=2")
    #expect(try await urls.next() == "http://h/live/a.flv?t=2")
    server.now.withLock { $0 = 1001 }
    await #expect(throws: StreamFailure.self) { try await urls.next() }
  }

  @Test("a missing URL and an unknown size are 80204")
  func missing() async throws {
    let none = Server([.success(PlayURLs(watch: "w", others: ["hls": "https://cdn/a.m3u8"]))])
    for mode in [AudienceMode.ownCDN(), .thirdParty()] {
      let failure = await #expect(throws: StreamFailure.self) { try await none.urls(mode).next() }
      #expect(failure?.code == .cdnParameters)
    }
    let refusing = Server([.failure(RoomError(.cdnParameters, "fps: 10, 15, 24 or 30, not 11"))])
    await #expect(throws: StreamFailure.noURL("fps: 10, 15, 24 or 30, not 11")) {
      try await refusing.urls(.ownCDN(PlayPicture(width: 640, height: 360, fps: 11))).next()
    }
  }
}
