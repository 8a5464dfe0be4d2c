import Foundation
import RoomProtocol
import RoomWebRTC

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A room with publishing over WHIP (RFC 9725) and playback over WHEP (draft-ietf-wish-whep), at `/whip/{room}` and
/// `/whep/{room}/{user}`.
struct WHEPTarget: FanoutTarget {
  /// The base URL that the paths are appended to.
  let base: URL
  let tokens: TokenMint
  let room: RoomName

  static let publisher = "publisher-1"

  let publisherRole = DTLSRole.client
  let subscriberControlsICE = true

  func open() async throws {}

  func publish(_ publisher: PublisherHandle) async throws -> any BotSession {
    let seat = try WHEPSession(base.appending(path: "whip/\(room)"), token: tokens.token(for: UserID(publisher.name), in: room))
    try publisher.accept(try await seat.post(publisher.makeOffer()))
    return seat
  }

  func subscribe(_ subscriber: SubscriberHandle) async throws -> any BotSession {
    let url = base.appending(path: "whep/\(room)/\(Self.publisher)")
    let seat = try WHEPSession(url, token: tokens.token(for: UserID(subscriber.name), in: room))
    let offer = try subscriber.makeOffer()
    subscriber.outcome.begin()
    try subscriber.accept(try await seat.post(offer.sdp), to: offer)
    return seat
  }
}

/// One WHIP or WHEP session.
actor WHEPSession: BotSession {
  private static let client = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    return URLSession(configuration: configuration)
  }()

  private let endpoint: URL
  private let token: String
  private var session: URL?

  init(_ endpoint: URL, token: String) {
    self.endpoint = endpoint
    self.token = token
  }

  /// Sends the offer and returns the answer.
  func post(_ offer: String) async throws -> String {
    var request = request("POST", endpoint)
    request.setValue("application/sdp", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(offer.utf8)
    let (data, response) = try await Self.client.fetch(request)
    let text = String(decoding: data, as: UTF8.self)
    guard response.statusCode == 201 else {
      throw LoadtestError.refused("\(endpoint.path): \(response.statusCode) \(text.prefix(300))")
    }
    session = response.value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: endpoint) }
    return text
  }

  func leave() async {
    guard let session else { return }
    self.session = nil
    _ = try? await Self.client.fetch(request("DELETE", session))
  }

  private func request(_ method: String, _ url: URL) -> URLRequest {
    var request = URLRequest(url: url, timeoutInterval: 15)
    request.httpMethod = method
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return request
  }
}
