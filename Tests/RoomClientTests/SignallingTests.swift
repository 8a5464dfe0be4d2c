import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Signalling")
struct SignallingTests {
  @Test(
    "addresses are parsed",
    arguments: [
      ("ws://example.org/v1/signal", "example.org", 80, false, "/v1/signal", "example.org"),
      ("wss://example.org/v1/signal?a=b", "example.org", 443, true, "/v1/signal?a=b", "example.org"),
      ("ws://127.0.0.1:8080", "127.0.0.1", 8080, false, "/", "127.0.0.1:8080"),
      ("WS://[::1]:99/x", "::1", 99, false, "/x", "[::1]:99"),
    ])
  func takesApart(text: String, host: String, port: Int, secure: Bool, path: String, field: String) throws {
    let address = try SignalAddress(text)
    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.isSecure == secure)
    #expect(address.path == path)
    #expect(address.hostField == field)
  }

  @Test(
    "an address that is not a WebSocket URL is rejected",
    arguments: ["", "http://a/b", "ws://", "ws:///x", "nonsense", "ws://a:99999/"])
  func refuses(text: String) {
    #expect(throws: RoomClientError.invalidURL(text)) { _ = try SignalAddress(text) }
  }

  @Test("mutated server messages are decoded or rejected without a trap") func survivesNoise() throws {
    let track = TrackInfo(trackId: "t", kind: .video, codec: .vp8, width: 320)
    let events: [SignalEvent] = [
      .joined(ParticipantInfo(userId: "ada", grants: [.publish], joinedAt: 1, tracks: [track])),
      .published(PublishedData(userId: "ada", tracks: [track])),
      .offer(OfferData(offer: 1, sdp: "v=0", tracks: [OfferedTrack(mid: "0", userId: "ada", trackId: "t")], restart: true)),
      .ended(EndedData(reason: .kickedOut, by: "eve")), .unknown("later"),
    ]
    var generator = SystemRandomNumberGenerator()
    let decoder = JSONDecoder()
    for event in events {
      let text = try JSONEncoder().encode(event)
      #expect(try decoder.decode(SignalEvent.self, from: text) == event)
      for _ in 0..<500 {
        var mutated = text
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let index = Int.random(in: 0..<mutated.count, using: &generator)
          mutated[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
        }
        _ = try? decoder.decode(SignalEvent.self, from: mutated)
        _ = try? decoder.decode(SignalAnswer<JoinResult>.self, from: mutated)
      }
    }
  }

  @Test("a message that arrives with the answer to the upgrade is received") func eager() async throws {
    let server = try await EagerServer(.text, "welcome")
    let received = Shared<[Data]>([])
    let address = try SignalAddress("ws://127.0.0.1:\(server.port)/v1/signal")
    let socket = try await SignalSocket.open(address, timeout: .seconds(10)) { incoming in
      if case .message(let message) = incoming { received.withLock { $0.append(message) } }
      return true
    }
    let message = try await eventually("the first message") { received.withLock { $0.first } }
    #expect(message == Data("welcome".utf8))
    socket.abandon()
    try await server.stop()
  }
}
