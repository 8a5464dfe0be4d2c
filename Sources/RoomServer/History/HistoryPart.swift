import RoomHTTPServer
import RoomProtocol

/// The history of the server, and the receivers of what happens at its origin.
package struct HistoryPart: EventSinkPart {
  let history: History

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    let storage = try await assembly.part(StoragePart.self)
    do {
      return Self(
        history: try await History(
          ground.configuration.history, path: ground.data?.privateFile(HistoryStore.fileName), rooms: storage.rooms,
          log: ground.log))
    } catch { throw .data(reason: "\(HistoryStore.fileName): \(error)") }
  }

  package var sink: any WebhookEventSink { history }
  package var endpoints: [Endpoint] { HistoryAPI(history: history).endpoints }
  package func addMetrics(to text: inout PrometheusText) async { await history.addMetrics(to: &text) }
  package func stop() async { await history.stop() }
}
