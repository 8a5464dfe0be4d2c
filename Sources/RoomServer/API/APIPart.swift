import RoomHTTPServer

/// The rooms over REST, and the tokens of the API.
package struct APIPart: ServerPart {
  package let rooms: RoomsAPI
  private let directory: RoomDirectory
  private let access: APIAccess

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let directory = try await assembly.part(RoomsPart.self).directory
    let origin = try await assembly.part(OriginPart.self).origin
    return Self(
      rooms: RoomsAPI(
        directory: directory, limits: assembly.ground.configuration.limits,
        streamViewers: { [origin] in origin.audience },
        places: try await assembly.neighbours.places),
      directory: directory, access: APIAccess(keys: assembly.ground.keys))
  }

  package var endpoints: [Endpoint] {
    rooms.endpoints + JobsAPI(directory: directory).endpoints + PlayersAPI(directory: directory).endpoints
      + ImagesAPI(directory: directory).endpoints + StateAPI(directory: directory).endpoints
      + TokensAPI(access: access).endpoints
  }
}
