import RoomSRT
import RoomTestSupport
import Testing

/// A caller of the server's SRT port: the project's own push, which sends no media.
final class SRTPeer: Sendable {
  private let push: SRTPush
  private let events = Shared<[SRTPush.Event]>([])

  private init(_ server: TestServer, _ streamID: String) throws {
    let port = try #require(server.server.srtPort)
    var address = try #require(SRTAddress("srt://127.0.0.1:\(port)"))
    address.streamID = streamID
    push = SRTPush(to: address, hasVideo: true, hasAudio: true, preamble: [], resolve: { ["127.0.0.1"] }) { [events] event in
      events.withLock { $0.append(event) }
    }
  }

  /// Connects, and waits until the server accepts it.
  static func start(_ server: TestServer, _ streamID: String) async throws -> SRTPeer {
    let peer = try SRTPeer(server, streamID)
    try await eventually("the stream starts") {
      if let failure = peer.failure { throw NotStarted(reason: "\(failure)") }
      return peer.isOpen
    }
    return peer
  }

  /// Returns the code with which the server refuses the handshake; nil if it accepts it.
  static func refusal(_ server: TestServer, _ streamID: String) async throws -> Int? {
    let peer = try SRTPeer(server, streamID)
    try await eventually("a decision") { peer.isOpen || peer.failure != nil }
    guard case .rejected(let rejection)? = peer.failure else { return nil }
    return rejection.code
  }

  var failure: SRTFailure? { events.value.lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first }

  private var isOpen: Bool { events.value.contains { if case .opened = $0 { true } else { false } } }

  func end() async { await push.close() }
}
