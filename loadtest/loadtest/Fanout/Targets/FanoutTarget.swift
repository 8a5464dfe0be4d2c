import ArgumentParser
import WebRTC

/// The servers that bots can load.
enum TargetKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server, by its signalling: the server offers what a subscriber gets.
  case roomserver
  /// Any server that speaks WHIP and WHEP.
  case whep
  /// Janus with its videoroom plugin, by its WebSocket API.
  case janus
}

/// One room of one server, and how bots get in.
protocol FanoutTarget: Sendable {
  /// The end of DTLS that a publisher has, which the server leaves it.
  var publisherRole: DTLSRole { get }
  /// Whether a subscriber controls ICE: it does unless the server offers with an agent that is not lite.
  var subscriberControlsICE: Bool { get }

  /// Makes the room ready.
  func open() async throws
  /// Publishes; returns with the server's answer taken.
  func publish(_ publisher: PublisherEnd) async throws -> any BotSeat
  /// Asks for all publishers' media; begins the outcome's clock with the request and returns once all is said that is to be said.
  func subscribe(_ subscriber: SubscriberEnd) async throws -> any BotSeat
}

/// A bot's place in a room, which its signalling holds.
protocol BotSeat: Sendable {
  func leave() async
}
