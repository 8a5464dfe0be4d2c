import RoomHTTPServer

/// The state of the server and its last hour.
struct StatisticsPart: ServerPart {
  private let api: ServerAPI
  private let sampling: Task<Void, Never>

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    var gauge = ServerGauge(
      directory: try await assembly.part(RoomsPart.self).directory, plane: try await assembly.part(MediaPart.self).plane,
      counters: assembly.ground.counters)
    gauge.rtmpPort = try await assembly.optional(RTMPPart.self)?.server.port
    gauge.srtPort = try await assembly.optional(SRTPart.self)?.server.port
    let history = ServerHistory(gauge)
    return Self(api: ServerAPI(gauge: gauge, history: history), sampling: Task { await history.run() })
  }

  var endpoints: [Endpoint] { api.endpoints }

  func quiesce() async {
    sampling.cancel()
    await sampling.value
  }
}
