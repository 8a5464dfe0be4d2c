import RoomRTMP
import RoomRTP
import Testing

@Suite struct TimeTests {
  @Test("a silent client's session ends after ten seconds, and not before")
  func silentClient() {
    let start = Instant(microseconds: 0)
    var session = ServerSession(now: start)
    #expect(session.deadline == start.advanced(milliseconds: 10_000))
    session.advance(to: start.advanced(milliseconds: 9999))
    #expect(!session.isClosed)
    session.advance(to: start.advanced(milliseconds: 10_000))
    #expect(session.nextEvent() == .closed(.timeout(.handshake)))
    #expect(session.deadline == nil && session.nextEvent() == nil)
  }

  @Test("the session of a client with a very slow handshake ends too")
  func dribble() {
    var now = Instant(microseconds: 0)
    var session = ServerSession(now: now)
    for byte in [3] + [UInt8](repeating: 0, count: 20) {
      withUnsafeBytes(of: byte) { session.receive($0, now: now) }
      now = now.advanced(milliseconds: 500)
      session.advance(to: now)
    }
    #expect(session.isClosed)
  }

  @Test("the session with a silent server ends, and the failure names the step")
  func silentServer() throws {
    let address = try #require(RTMPAddress("rtmp://example.org/live/studio"))
    let start = Instant(microseconds: 0)
    var session = ClientSession(.publish, address, now: start)
    session.advance(to: start.advanced(milliseconds: 10_000))
    #expect(session.nextEvent() == .closed(.timeout(.handshake)))

    var pair = try SessionPair(.publish)
    pair.acceptsAll = false
    pair.run()
    pair.advance(milliseconds: 10_000)
    #expect(pair.clientFailure == .timeout(.connect))
  }

  @Test("a publisher that becomes silent is pinged, and its session ends if it does not answer")
  func halfOpen() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.advance(milliseconds: 30_000)
    pair.run()
    // The answer arrived, so the session continues.
    pair.advance(milliseconds: 29_000)
    #expect(!pair.server.isClosed)
    pair.advance(milliseconds: 1000)
    #expect(!pair.server.takeOutput().isEmpty)
    pair.advance(milliseconds: 29_999)
    #expect(!pair.server.isClosed)
    pair.advance(milliseconds: 1)
    #expect(pair.serverEvents.suffix(2) == [.publishEnded(MessageStreamID(1)), .closed(.timeout(.media))])
  }

  @Test("the session of a client that connects and does nothing ends")
  func idle() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.client.end()
    pair.run()
    pair.advance(milliseconds: 29_999)
    #expect(!pair.server.isClosed)
    pair.advance(milliseconds: 1)
    #expect(pair.serverFailure == .timeout(.createStream))
  }

  @Test("received bytes are acknowledged per window")
  func acknowledgement() throws {
    var pair = try SessionPair(.publish, server: .init(window: 100_000))
    pair.run()
    for time in 0..<30 { pair.client.send(videoMessage(UInt32(time * 40), bytes: 10_000)) }
    pair.run()
    // The client requested it in answer to Set Peer Bandwidth.
    #expect(pair.client.acknowledgedBytes > 200_000)

    pair = try SessionPair(.play, server: .init(window: 100_000))
    pair.run()
    for time in 0..<30 {
      pair.server.send(videoMessage(UInt32(time * 40), bytes: 10_000), on: MessageStreamID(1))
      pair.run()
    }
    #expect(pair.server.acknowledgedBytes > 200_000)
  }
}
