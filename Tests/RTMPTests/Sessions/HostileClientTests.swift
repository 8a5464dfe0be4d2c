import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@Suite struct HostileClientTests {
  private let now = Instant(microseconds: 0)

  /// Returns a session after the handshake.
  private func shaken(_ options: ServerSession.Options = .init()) -> ServerSession {
    var session = ServerSession(options, now: now)
    ([3] + [UInt8](repeating: 0, count: 3072)).withUnsafeBytes { session.receive($0, now: now) }
    _ = session.takeOutput()
    return session
  }

  private func feed(_ session: inout ServerSession, _ messages: [RTMPMessage]) -> [ServerEvent] {
    chunks(messages).withUnsafeBytes { session.receive($0, now: now) }
    var events: [ServerEvent] = []
    while let event = session.nextEvent() { events.append(event) }
    return events
  }

  /// Returns a session with an accepted connection.
  private func connected(_ options: ServerSession.Options = .init()) -> ServerSession {
    var session = shaken(options)
    _ = feed(&session, [Command("connect", transaction: 1, object: .object(["app": "live"])).message()])
    session.acceptConnect(now: now)
    _ = session.takeOutput()
    return session
  }

  @Test("another protocol ends the session at its first byte")
  func otherProtocol() {
    var session = ServerSession(now: now)
    Array("GET / HTTP/1.1\r\n".utf8).withUnsafeBytes { session.receive($0, now: now) }
    #expect(session.nextEvent() == .closed(.handshake(.version(0x47))))
    #expect(session.takeOutput().isEmpty)
  }

  @Test("commands before connect end the session", arguments: ["createStream", "publish", "play", "_checkbw"])
  func tooEarly(name: String) {
    var session = shaken()
    #expect(feed(&session, [Command(name, transaction: 2).message()]) == [.closed(.unexpectedCommand(name))])
  }

  @Test("a second connect ends the session")
  func twice() {
    var session = connected()
    #expect(feed(&session, [Command("connect", transaction: 2).message()]) == [.closed(.unexpectedCommand("connect"))])
  }

  @Test("media before anything is published is dropped and counted")
  func stray() {
    var session = connected()
    #expect(feed(&session, [RTMPMessage(type: .video, payload: [1, 2, 3])]).isEmpty)
    #expect(session.strayMessages == 1)
  }

  @Test("a command that is not AMF ends the session")
  func notAMF() {
    var session = connected()
    let events = feed(&session, [RTMPMessage(type: .command, payload: [2, 0xff, 0xff, 1])])
    #expect(events == [.closed(.command(.truncated))])
  }

  @Test("the number of streams is limited")
  func streams() {
    var session = connected(.init(streams: 3))
    _ = feed(&session, (0..<10).map { Command("createStream", transaction: Double($0 + 2)).message() })
    #expect(!session.isClosed)
    let events = feed(
      &session, (1...10).map { Command("publish", arguments: [.string("name\($0)")]).message(on: MessageStreamID($0)) })
    #expect(events.count == 1, "only the first is asked; the others wait for the answer: \(events)")
    session.acceptPublish(MessageStreamID(1), now: now)
    session.acceptPublish(MessageStreamID(2), now: now)
    session.acceptPublish(MessageStreamID(3), now: now)
    var more: [ServerEvent] = []
    while let event = session.nextEvent() { more.append(event) }
    #expect(more.count == 2 && !session.isClosed)
  }

  @Test("the session of a client that sends requests and never reads is ended")
  func neverReads() {
    var session = connected()
    let pings = chunks(Array(repeating: ControlMessage.user(.pingRequest(1)).message, count: 1000))
    var rounds = 0
    while !session.isClosed, rounds < 1000 {
      pings.withUnsafeBytes { session.receive($0, now: now) }
      rounds += 1
    }
    #expect(session.nextEvent() == .closed(.outputLimitExceeded))
    #expect(session.takeOutput().count < 5 << 20)
  }

  @Test("an ended session produces nothing")
  func over() {
    var session = connected()
    session.end()
    _ = session.nextEvent()
    #expect(feed(&session, [Command("createStream", transaction: 2).message()]).isEmpty)
    session.acceptPublish(MessageStreamID(1), now: now)
    session.acceptConnect(now: now)
    session.advance(to: now.advanced(milliseconds: 1_000_000))
    session.disconnected()
    #expect(session.nextEvent() == nil && session.takeOutput().isEmpty)
  }

  @Test("damaged recordings of real sessions are processed or end the session, nothing else")
  func fuzz() throws {
    var random = SeededGenerator(seed: 21)
    for purpose in [ClientSession.Purpose.publish, .play] {
      var pair = try SessionPair(purpose)
      pair.run()
      for time in 0..<5 { pair.client.send(videoMessage(UInt32(time))) }
      pair.client.end()
      pair.run()
      let handshake = 1 + 2 * 1536
      for _ in 0..<1500 {
        var server = ServerSession(now: now)
        let toServer = pair.toServer[..<handshake] + random.mutate(Array(pair.toServer[handshake...]))
        var client = ClientSession(purpose, pair.client.address, now: now)
        let toClient = pair.toClient[..<handshake] + random.mutate(Array(pair.toClient[handshake...]))
        for piece in Array(toServer).pieces(Int.random(in: 1...4000, using: &random)) {
          piece.withUnsafeBytes { server.receive($0, now: now) }
          while let event = server.nextEvent() {
            switch event {
            case .connectRequested: server.acceptConnect(now: now)
            case .publishRequested(let request): server.acceptPublish(request.stream, now: now)
            case .playRequested(let request): server.acceptPlay(request.stream, now: now)
            default: break
            }
          }
        }
        for piece in Array(toClient).pieces(Int.random(in: 1...4000, using: &random)) {
          piece.withUnsafeBytes { client.receive($0, now: now) }
          while client.nextEvent() != nil {}
        }
      }
    }
  }
}
