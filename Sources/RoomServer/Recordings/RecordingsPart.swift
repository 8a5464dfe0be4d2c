import RoomHTTPServer

/// Recorded files over REST.
struct RecordingsPart: ServerPart {
  private let api: RecordingsAPI

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let directory = try await assembly.part(RoomsPart.self).directory
    return Self(
      api: RecordingsAPI(recordings: directory.broadcasts.recordings, access: APIAccess(keys: assembly.ground.keys)))
  }

  var endpoints: [Endpoint] { api.endpoints }

  func addMetrics(to text: inout PrometheusText) async {
    text.add("roomserver_recordings_downloads", .gauge, "Recorded files that are being sent.", api.downloads.count)
  }

  func quiesce() async { await api.stop() }
}
