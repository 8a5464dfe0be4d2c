import ArgumentParser
import RoomWebRTC

/// The servers that can be measured.
enum TargetKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server, over its signalling: the server sends the offers to a subscriber.
  case roomserver
  /// Any server that supports WHIP and WHEP.
  case whep
  /// Janus with its videoroom plugin, over its WebSocket API.
  case janus
  /// A loop that seals and sends, and does nothing else.
  case floor
}

/// One room of one server, and the calls by which bots join it.
protocol FanoutTarget: Sendable {
  /// A publisher's DTLS role, which results from the server's answer.
  var publisherRole: DTLSRole { get }
  /// Whether a subscriber is the controlling ICE agent. It is, unless the server sends the offer and is not ICE-lite.
  var subscriberControlsICE: Bool { get }

  /// Prepares the room.
  func open() async throws
  /// Publishes. Returns after the server's answer was applied.
  func publish(_ publisher: PublisherHandle) async throws -> any BotSession
  /// Requests all publishers' media. Starts the outcome's clock with the request and returns when the signalling is complete.
  func subscribe(_ subscriber: SubscriberHandle) async throws -> any BotSession
}

/// A bot's signalling session in a room.
protocol BotSession: Sendable {
  func leave() async
}
