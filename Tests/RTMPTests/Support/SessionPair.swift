import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

/// A client and a server connected in virtual time. The test carries every byte.
struct SessionPair {
  var client: ClientSession
  var server: ServerSession
  var now = Instant(microseconds: 1_000_000)
  var generator = SeededGenerator(seed: 7)
  var clientEvents: [ClientEvent] = []
  var serverEvents: [ServerEvent] = []
  /// Whether the server accepts all requests. Set it to false to decide in the test.
  var acceptsAll = true
  /// Maximum bytes carried in one piece.
  var step = Int.max
  /// All bytes carried so far.
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

  /// Carries bytes until neither side has output.
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

  /// Advances the time, and lets both sides do what is due.
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
  /// Returns the bytes in pieces of at most `step`.
  func pieces(_ step: Int) -> [[UInt8]] {
    guard step < count else { return isEmpty ? [] : [self] }
    return stride(from: 0, to: count, by: step).map { Array(self[$0..<Swift.min(count, $0 + step)]) }
  }
}
