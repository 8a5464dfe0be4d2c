import RoomHTTPServer
import RoomServer

/// The watch page, its state, and the links to it.
struct WatchPart: ServerPart {
  private let api: WatchAPI
  private let pages: WatchPages
  private let share: ShareAPI

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let entrance = try await assembly.part(EntrancePart.self).entrance
    let directory = entrance.directory
    return Self(
      api: WatchAPI(
        entrance: entrance, origin: try await assembly.part(OriginPart.self).origin,
        limits: assembly.ground.configuration.limits),
      pages: WatchPages(addresses: directory.play),
      share: ShareAPI(directory: directory, access: APIAccess(keys: assembly.ground.keys)))
  }

  var endpoints: [Endpoint] { api.endpoints + pages.endpoints + share.endpoints }

  func addMetrics(to text: inout PrometheusText) async {
    let failures = api.failures.withLock { $0 }
    text.add(
      "roomserver_watch_failures_total", .counter, "Watch pages that showed nothing, as they report it.", label: "reason",
      WatchFailure.allCases.map { ($0.rawValue, failures[$0] ?? 0) })
  }
}
