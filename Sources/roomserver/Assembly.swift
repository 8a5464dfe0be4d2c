import Logging
import RoomClusterServer
import RoomLiveKitServer
import RoomServer
import RoomWebPages

extension RoomServer {
  /// The subjects of this program besides those of every server.
  package static let moreParts: [any ServerPart.Type] = clusterParts + liveKitParts + pageParts

  /// Starts a server with all parts. It accepts clients when this returns.
  /// - Parameters:
  ///   - configuration: the addresses, keys and limits of the server.
  ///   - log: receives one line for each event that matters to an operator; discards them by default.
  package static func start(
    _ configuration: ServerConfiguration, log: Logger = Logger(label: "roomserver") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(StartError) -> RoomServer {
    try await start(configuration, parts: moreParts, log: log)
  }
}
