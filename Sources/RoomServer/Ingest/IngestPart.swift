import RoomLiveOrigin

/// The entry point of encoders to rooms.
struct IngestPart: ServerPart {
  private let server: IngestServer

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let server = IngestServer(
      entrance: try await assembly.part(EntrancePart.self).entrance, keys: try await assembly.part(StreamKeysPart.self).keys,
      routing: try await assembly.neighbours.ingest)
    let origin = try await assembly.part(OriginPart.self).origin
    origin.install(server.publishHandler, for: IngestServer.app)
    origin.install(server.keyHandler, for: StreamKey.app)
    return Self(server: server)
  }

  func stop() async { await server.stop() }
}
