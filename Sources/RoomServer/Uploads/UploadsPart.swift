import RoomHTTPServer

/// The files that the app uploads.
package struct UploadsPart: ServerPart {
  /// Nil if the server takes no uploads.
  let store: UploadStore?

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    guard let settings = assembly.ground.configuration.uploads else { return Self(store: nil) }
    let node = try await assembly.neighbours.node
    do throws(UploadFailure) {
      let store = try UploadStore(settings, node: node, log: assembly.ground.log)
      await store.start()
      return Self(store: store)
    } catch { throw .uploads(reason: error.reason) }
  }

  package var endpoints: [Endpoint] { UploadsAPI(store: store).endpoints }
  package func addMetrics(to text: inout PrometheusText) async { store?.tally.addMetrics(to: &text) }
  package func stop() async { await store?.stop() }
}
