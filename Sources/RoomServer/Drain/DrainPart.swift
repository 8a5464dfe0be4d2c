import RoomHTTPServer

/// The drain of the server.
struct DrainPart: ServerPart {
  let drain: Drain
  private let directory: RoomDirectory
  private let isReady: @Sendable () -> Bool

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let directory = try await assembly.part(RoomsPart.self).directory
    return Self(
      drain: Drain(
        directory, origin: try await assembly.part(OriginPart.self).origin,
        history: try await assembly.part(HistoryPart.self).history, moves: try await assembly.routing.moves,
        relay: try await assembly.routing.relay,
        log: assembly.ground.log),
      directory: directory, isReady: try await assembly.neighbours.isReady)
  }

  var endpoints: [Endpoint] { DrainAPI(drain: drain, directory: directory, isReady: isReady).endpoints }
  func quiesce() async { await drain.end() }
}
