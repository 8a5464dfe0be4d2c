import Foundation
import RoomProtocol
import RoomWebRTC

/// A room of this server, over its own signalling.
struct RoomserverTarget: FanoutTarget {
  let server: RoomserverAddress
  let room: RoomName

  let publisherRole = DTLSRole.client
  let subscriberControlsICE = true

  /// The first join creates the room.
  func open() async throws {}

  func publish(_ publisher: PublisherHandle) async throws -> any BotSession {
    let seat = try await RoomserverSession(server.signalling)
    _ = try await seat.call(.join(join(publisher.name)), as: JoinResult.self)
    let tracks = [NewTrack(mid: "0", kind: .audio, tag: "microphone"), NewTrack(mid: "1", kind: .video, tag: "camera")]
    let result = try await seat.call(
      .publish(PublishParams(sdp: publisher.makeOffer(), tracks: tracks)), as: PublishResult.self)
    try publisher.accept(result.sdp)
    await seat.attend { _ in }
    return seat
  }

  func subscribe(_ subscriber: SubscriberHandle) async throws -> any BotSession {
    let seat = try await RoomserverSession(server.signalling)
    let request = SignalCall.join(try join(subscriber.name))
    subscriber.outcome.begin()
    _ = try await seat.call(request, as: JoinResult.self)
    await seat.attend { offer in
      do {
        try await seat.tell(.answer(AnswerParams(offer: offer.offer, sdp: subscriber.answer(offer.sdp))))
      } catch {
        subscriber.outcome.failed("\(error)")
      }
    }
    return seat
  }

  private func join(_ name: String) throws -> JoinParams {
    JoinParams(token: try server.tokens.token(for: UserID(name), in: room))
  }
}

/// A participant's signalling: individual calls first, then events.
actor RoomserverSession: BotSession {
  private let socket: MessageSocket
  private var lastId = 0
  private var events: Task<Void, Never>?

  init(_ url: String) async throws {
    socket = try await MessageSocket.open(url)
  }

  /// The fields that distinguish responses from events.
  private struct Head: Decodable {
    var id: Int?
    var event: String?
  }

  func tell(_ call: SignalCall) throws {
    lastId += 1
    try socket.send(SignalRequest(id: lastId, call: call))
  }

  /// Sends a request and reads until its response. Other messages are skipped: no events precede the first response, and a
  /// publisher needs none.
  func call<Result: Codable & Sendable>(_ call: SignalCall, as _: Result.Type) async throws -> Result {
    try tell(call)
    while let text = await socket.next() {
      guard try JSONDecoder().decode(Head.self, from: text).id == lastId else { continue }
      switch try JSONDecoder().decode(SignalAnswer<Result>.self, from: text) {
      case .result(_, let result): return result
      case .error(_, let error): throw LoadtestError.refused("\(call.method): \(error)")
      }
    }
    throw LoadtestError.refused("\(call.method): the server closed the socket")
  }

  /// Starts to read; calls `offered` with each offer.
  func attend(_ offered: @escaping @Sendable (OfferData) async -> Void) {
    events = Task { [socket] in
      while let text = await socket.next() {
        // Other events are not needed.
        guard let head = try? JSONDecoder().decode(Head.self, from: text), head.event == "offer",
          case .offer(let offer) = try? JSONDecoder().decode(SignalEvent.self, from: text)
        else { continue }
        await offered(offer)
      }
    }
  }

  func leave() {
    events?.cancel()
    socket.close()
  }
}
