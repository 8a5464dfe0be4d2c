import RoomHTTPServer

/// The entry point of WHIP and WHEP.
struct WHIPPart: ServerPart {
  private let api: WHIPAPI

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    Self(
      api: WHIPAPI(
        entrance: try await assembly.part(EntrancePart.self).entrance, keys: try await assembly.part(StreamKeysPart.self).keys,
        routing: try await assembly.routing))
  }

  var endpoints: [Endpoint] { api.endpoints }
}
