import RoomHTTPServer
import RoomLiveOrigin
import Synchronization

/// HTTP-FLV: `GET /{app}/{stream}.flv`, a response that lasts as long as the stream.
package final class FLVAPI: Sendable {
  private let origin: Origin
  private let limit: Int
  private let isServer: @Sendable (HTTPRequest) -> Bool
  private let audiences = Mutex(Audiences())

  private struct Audiences {
    var all: [StreamPath: (audience: FLVAudience, viewers: Int)] = [:]
    var viewers = 0
    var isStopped = false
  }

  /// - Parameters:
  ///   - limit: viewers at a time. Each uses a connection of the HTTP server, which also serves other clients.
  ///   - isServer: returns whether another server of the cluster sent a request. Such a request needs no permission.
  package init(_ origin: Origin, limit: Int, isServer: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false }) {
    self.origin = origin
    self.limit = limit
    self.isServer = isServer
  }

  package var endpoints: [Endpoint] {
    [Endpoint("GET", "/*/*.flv", access: .open, action: .answer { request, names in await self.play(request, names) })]
  }

  private func play(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    do throws(OriginRefusal) {
      guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
        throw OriginRefusal(.name, "the stream name is invalid")
      }
      let isServer = isServer(request)
      if !isServer {
        try origin.admitPlay("\(path).flv", query: request.query)
        try await origin.prepare(path)
      }
      let viewing = try origin.view(path, over: .flv, forServer: isServer)
      let audience = try join(path)
      // A server serves viewers of its own, so it loses pictures later than one viewer.
      let options = StreamViewer.Options(
        lag: isServer ? Origin.processingLag : nil, wantsPast: FLVBeginning.wantsPast(request, viewing.hub.kinds))
      // A server passes everything on, and its own viewers learn the kinds from it.
      let beginning: FLVBeginning? = isServer ? .anything : nil
      let viewer = FLVViewer(viewing, audience, options, beginning: beginning, origin.counters) { [weak self] in
        self?.leave(path)
      }
      guard let viewer else {
        throw OriginRefusal(.viewers, "the limit of viewers of \(path) is reached")
      }
      return HTTPResponse(status: 200, headers: [("Content-Type", "video/x-flv")] + Origin.headers, stream: viewer)
    } catch {
      return origin.refused(error, request)
    }
  }

  private func join(_ path: StreamPath) throws(OriginRefusal) -> FLVAudience {
    let result: Result<FLVAudience, OriginRefusal> = audiences.withLock { audiences in
      guard !audiences.isStopped else { return .failure(OriginRefusal(.stopping, "the server is stopping")) }
      guard audiences.viewers < limit else {
        return .failure(OriginRefusal(.viewers, "the server's limit of \(limit) HTTP-FLV viewers is reached"))
      }
      let entry = audiences.all[path] ?? (FLVAudience(origin, path), 0)
      audiences.all[path] = (entry.audience, entry.viewers + 1)
      audiences.viewers += 1
      return .success(entry.audience)
    }
    return try result.get()
  }

  private func leave(_ path: StreamPath) {
    // Released outside the lock: the end of its watch takes other locks.
    let emptied = audiences.withLock { audiences -> FLVAudience? in
      guard let entry = audiences.all[path] else { return nil }
      audiences.viewers -= 1
      guard entry.viewers <= 1 else {
        audiences.all[path] = (entry.audience, entry.viewers - 1)
        return nil
      }
      audiences.all[path] = nil
      return entry.audience
    }
    emptied?.end()
  }

  /// Ends all responses, so that the daemon can be stopped.
  package func stop() {
    let all = audiences.withLock { audiences in
      audiences.isStopped = true
      return audiences.all.values.map(\.audience)
    }
    for audience in all { audience.end() }
  }
}
