import Foundation
import RoomProtocol

/// A server with a room: how a bot publishes into it, and how the browser subscribes.
struct WatchedServer: Sendable {
  let target: any FanoutTarget
  let pid: Int32?
  var metrics: URL?
  /// Whether the publisher's layers are tracks instead of a simulcast.
  var takesTracks = false
  let subscribe: @Sendable (ChromiumSubscriber) async throws -> Void
  let stop: @Sendable () async -> Void

  /// The room of every measurement.
  static let room: RoomName = "network"

  private struct RoomserverJoin: Encodable {
    var url: String
    var token: String
  }

  private struct JanusJoin: Encodable {
    var url: String
    var room: Int
    var feeds: [UInt64]
    var adapts: Bool
  }

  static func roomserver(_ server: StartedServers.Roomserver) -> WatchedServer {
    WatchedServer(
      target: RoomserverTarget(server: server.address, room: room), pid: server.process.pid, metrics: server.address.metrics
    ) { page in
      let token = try server.address.tokens.token(for: "subscriber", in: room)
      try await page.join("roomserver", RoomserverJoin(url: server.address.signalling, token: token))
    } stop: {
      await server.process.stop()
    }
  }

  /// - Parameter adapts: whether the page selects the layer, as Janus' documentation expects of an app.
  static func janus(_ server: MeasuredServer<String>, adapts: Bool) -> WatchedServer {
    let target = JanusTarget(url: server.target, room: 1234, publishers: 1)
    return WatchedServer(target: target, pid: server.pid) { page in
      try await page.join(
        "janus", JanusJoin(url: server.target, room: target.room, feeds: target.feedIDs, adapts: adapts))
    } stop: {
      await server.process?.stop()
    }
  }

  private struct Endpoint: Encodable { var url: String }

  /// The SFU of `Benchmarks/pion`.
  static func pion(_ server: MeasuredServer<URL>) -> WatchedServer {
    WatchedServer(target: PionTarget(base: server.target), pid: server.pid, takesTracks: true) { page in
      try await page.join("whep", Endpoint(url: server.target.appending(path: "subscribe").absoluteString))
    } stop: {
      await server.process?.stop()
    }
  }
}
