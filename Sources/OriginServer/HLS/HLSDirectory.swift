import RoomHTTPServer
import RoomLiveOrigin
import Logging
import Synchronization

/// The streams that are segmented for HLS. Each starts with its first request and ends when requests stop.
package final class HLSDirectory: Sendable {
  private struct State {
    var streams: [StreamPath: HLSStream] = [:]
    var sessions = HLSSessions()
    var begun = 0
    var isStopping = false
  }

  let origin: Origin
  private let settings: HLSDelivery
  private let state = Mutex(State())

  package init(_ settings: HLSDelivery, origin: Origin) {
    self.settings = settings
    self.origin = origin
  }

  /// The number of streams that are segmented now.
  var count: Int { state.withLock { $0.streams.count } }
  /// The number of streams started so far.
  var begun: Int { state.withLock { $0.begun } }

  /// Admits a player to the playlist of a stream and its files: the addresses of all of them carry the signature of the
  /// playlist, "/app/stream.m3u8".
  func admit(_ path: StreamPath, query: String) throws(OriginRefusal) {
    guard origin.settings.protection.play != nil else { return }
    let words = "\(path) \(QueryString.value("wsSecret", in: query) ?? "") \(QueryString.value("wsTime", in: query) ?? "")"
    guard !state.withLock({ $0.sessions.renew(words, now: Origin.now()) }) else { return }
    try origin.admitPlay("\(path).m3u8", query: query)
    state.withLock { $0.sessions.begin(words, now: Origin.now()) }
  }

  /// Returns the stream's HLS, and starts it if necessary.
  func open(_ path: StreamPath) async throws(OriginRefusal) -> HLSStream {
    let there = state.withLock { $0.streams[path] }
    if let there {
      // The stream may have ended and restarted since.
      guard let hub = try origin.stream(at: path), hub !== there.viewing.hub else { return there }
      await there.stop()
      forget(there)
    }
    let made = try HLSStream(try origin.view(path, over: .hls), settings)
    let result: Result<(HLSStream, isNew: Bool), OriginRefusal> = state.withLock { state in
      guard !state.isStopping else { return .failure(OriginRefusal(.stopping, "the server is stopping")) }
      if let other = state.streams[path] { return .success((other, false)) }
      guard state.streams.count < settings.streams else {
        return .failure(OriginRefusal(.hls, "the server's limit of \(settings.streams) HLS streams is reached"))
      }
      state.streams[path] = made
      state.begun += 1
      return .success((made, true))
    }
    let (stream, isNew) = try result.get()
    if isNew {
      origin.log.info("HLS begins", metadata: ["stream": "\(path)"])
      await stream.start(at: origin) { [weak self] in self?.forget($0) }
    }
    return stream
  }

  /// Returns the stream's HLS if it is running.
  func existing(_ path: StreamPath) -> HLSStream? { state.withLock { $0.streams[path] } }

  /// Removes a stream, so that the next request starts it again.
  func forget(_ stream: HLSStream) {
    let path = stream.viewing.path
    let wasThere = state.withLock { state in
      guard state.streams[path] === stream else { return false }
      state.streams[path] = nil
      return true
    }
    if wasThere { origin.log.info("HLS ends", metadata: ["stream": "\(path)"]) }
  }

  package func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_origin_hls_streams", .gauge, "Live streams that are cut for HLS.", count)
    text.add("roomserver_origin_hls_streams_total", .counter, "Live streams that began to be cut for HLS.", begun)
  }

  /// Ends all streams, and answers the requests that wait.
  package func stop() async {
    let streams = state.withLock { state in
      state.isStopping = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { await stream.stop() }
  }
}
