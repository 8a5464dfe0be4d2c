import RoomHTTPServer

/// Recorded files over REST.
package struct RecordingsPart: ServerPart {
  private let api: RecordingsAPI

  /// The files that are being sent.
  package var downloads: Downloads { api.downloads }

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let directory = try await assembly.part(RoomsPart.self).directory
    return Self(
      api: RecordingsAPI(recordings: directory.broadcasts.recordings, access: APIAccess(keys: assembly.ground.keys)))
  }

  package var endpoints: [Endpoint] { api.endpoints }

  package func addMetrics(to text: inout PrometheusText) async {
    text.add("roomserver_recordings_downloads", .gauge, "Recorded files that are being sent.", api.downloads.count)
  }

  package func quiesce() async { await api.stop() }
}
