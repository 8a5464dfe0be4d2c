import RTMP
import RTP
import Testing

/// A client and a server that talk in virtual time, every byte through the hands of the test.
struct SessionPair {
  var client: ClientSession
  var server: ServerSession
  var now = Instant(microseconds: 1_000_000)
  var generator = SeededGenerator(seed: 7)
  var clientEvents: [ClientEvent] = []
  var serverEvents: [ServerEvent] = []
  /// What a server says to whatever is asked of it; set to false to decide by hand.
  var acceptsAll = true
  /// Bytes that go over in one piece.
  var step = Int.max
  /// All that went over so far.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []

  init(
    _ purpose: ClientSession.Purpose, address: String = "rtmp://example.org/live/studio?token=x",
    client: ClientSession.Options = .init(), server: ServerSession.Options = .init()
  ) throws {
    let address = try #require(RTMPAddress(address))
    self.client = ClientSession(purpose, address, options: client, now: now, using: &generator)
    self.server = ServerSession(server, now: now)
  }

  /// Carries bytes until nobody has any.
  mutating func run() {
    while true {
      let up = client.takeOutput()
      toServer += up
      for piece in up.pieces(step) {
        piece.withUnsafeBytes { server.receive($0, now: now, using: &generator) }
        drainServer()
      }
      let down = server.takeOutput()
      toClient += down
      for piece in down.pieces(step) {
        piece.withUnsafeBytes { client.receive($0, now: now, using: &generator) }
        while let event = client.nextEvent() { clientEvents.append(event) }
      }
      if up.isEmpty && down.isEmpty { return }
    }
  }

  mutating func drainServer() {
    while let event = server.nextEvent() {
      serverEvents.append(event)
      guard acceptsAll else { continue }
      switch event {
      case .connectRequested: server.acceptConnect(now: now)
      case .publishRequested(let request): server.acceptPublish(request.stream, now: now)
      case .playRequested(let request): server.acceptPlay(request.stream, now: now)
      default: break
      }
    }
  }

  /// Lets time go by, and both do what is due.
  mutating func advance(milliseconds: Int64) {
    now = now.advanced(milliseconds: milliseconds)
    client.advance(to: now)
    server.advance(to: now)
    while let event = client.nextEvent() { clientEvents.append(event) }
    drainServer()
  }

  var published: [MediaMessage] {
    serverEvents.compactMap { if case .media(let media, _) = $0 { media } else { nil } }
  }

  var played: [MediaMessage] {
    clientEvents.compactMap { if case .media(let media) = $0 { media } else { nil } }
  }

  var clientFailure: SessionFailure? {
    clientEvents.compactMap { if case .closed(let failure) = $0 { failure } else { nil } }.first
  }

  var serverFailure: SessionFailure? {
    serverEvents.compactMap { if case .closed(let failure) = $0 { failure } else { nil } }.first
  }
}

extension [UInt8] {
  /// The bytes in pieces of at most `step`.
  func pieces(_ step: Int) -> [[UInt8]] {
    guard step < count else { return isEmpty ? [] : [self] }
    return stride(from: 0, to: count, by: step).map { Array(self[$0..<Swift.min(count, $0 + step)]) }
  }
}
