import RoomHTTPServer
import RoomServer

/// The web client, for pages of any origin.
struct WebClientPart: ServerPart {
  static func start(in assembly: Assembly) async throws(StartError) -> Self { Self() }

  var endpoints: [Endpoint] { WebClientPages().endpoints }
}
