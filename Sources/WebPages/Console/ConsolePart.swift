import RoomHTTPServer
import RoomServer

/// The console.
struct ConsolePart: ServerPart {
  static func start(in assembly: Assembly) async throws(StartError) -> Self { Self() }

  var endpoints: [Endpoint] { ConsolePages().endpoints }
}
