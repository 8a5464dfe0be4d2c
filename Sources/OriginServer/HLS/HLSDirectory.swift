import Foundation
import RoomHTTPServer
import RoomLiveOrigin
import Logging
import Synchronization

/// The streams that are segmented for HLS. Each starts with its first request and ends when requests stop.
package final class HLSDirectory: Sendable {
  private struct State {
    var streams: [StreamPath: HLSStream] = [:]
    /// The same streams by their source: a stream and its variants are one family.
    var families: [StreamPath: [HLSStream]] = [:]
    var sessions = HLSSessions()
    var begun = 0
    var isStopping = false

    mutating func add(_ stream: HLSStream, at path: StreamPath) {
      streams[path] = stream
      families[path.source, default: []].append(stream)
    }

    /// Returns false if the stream is not there.
    mutating func remove(_ stream: HLSStream) -> Bool {
      let path = stream.viewing.path
      guard streams[path] === stream else { return false }
      streams[path] = nil
      families[path.source]?.removeAll { $0 === stream }
      if families[path.source]?.isEmpty == true { families[path.source] = nil }
      return true
    }
  }

  let origin: Origin
  private let settings: HLSDelivery
  private let waiting: HLSWaiting
  private let state = Mutex(State())

  /// - Parameter connections: the connections of the HTTP server, half of which may wait if the settings have no limit.
  package init(_ settings: HLSDelivery, origin: Origin, connections: Int) {
    self.settings = settings
    self.origin = origin
    waiting = HLSWaiting(limit: settings.waitingTotal ?? max(1, connections / 2))
  }

  /// The number of streams that are segmented now.
  var count: Int { state.withLock { $0.streams.count } }
  /// The number of streams started so far.
  var begun: Int { state.withLock { $0.begun } }

  /// Admits a player to the playlists and files of a stream: the addresses of all of them carry the signature of
  /// "/app/stream.m3u8". The signature of a stream also opens its variants, which its multivariant playlist lists.
  func admit(_ path: StreamPath, query: String) throws(OriginRefusal) {
    guard origin.settings.protection.play != nil else { return }
    let signature = "\(QueryString.value("wsSecret", in: query) ?? "") \(QueryString.value("wsTime", in: query) ?? "")"
    let signed = path.source == path ? [path] : [path.source, path]
    for path in signed where state.withLock({ $0.sessions.renew("\(path) \(signature)", now: Origin.now()) }) { return }
    var refusal: OriginRefusal?
    for path in signed {
      do throws(OriginRefusal) {
        try origin.admitPlay("\(path).m3u8", query: query)
        return state.withLock { $0.sessions.begin("\(path) \(signature)", now: Origin.now()) }
      } catch { refusal = error }
    }
    if let refusal { throw refusal }
  }

  /// Returns the stream's HLS, and starts it if necessary.
  func open(_ path: StreamPath) async throws(OriginRefusal) -> HLSStream {
    try await origin.prepare(path)
    let there = state.withLock { $0.streams[path] }
    if let there {
      // The stream may have ended and restarted since.
      guard let hub = try origin.stream(at: path), hub !== there.viewing.hub else { return there }
      there.stop()
      forget(there)
    }
    let made = try HLSStream(try origin.view(path, over: .hls), settings, waiting: waiting, epoch: epoch(of: path.source))
    let result: Result<(HLSStream, isNew: Bool), OriginRefusal> = state.withLock { state in
      guard !state.isStopping else { return .failure(OriginRefusal(.stopping, "the server is stopping")) }
      if let other = state.streams[path] { return .success((other, false)) }
      guard state.streams.count < settings.streams else {
        return .failure(OriginRefusal(.hls, "the server's limit of \(settings.streams) HLS streams is reached"))
      }
      state.add(made, at: path)
      state.begun += 1
      return .success((made, true))
    }
    let (stream, isNew) = try result.get()
    if isNew {
      origin.log.info("HLS begins", metadata: ["stream": "\(path)"])
      stream.start(at: origin) { [weak self] in self?.forget($0) }
    }
    return stream
  }

  /// Returns the stream's HLS if it is running and `open` would return the same without a wait.
  func current(_ path: StreamPath) throws(OriginRefusal) -> HLSStream? {
    guard let there = existing(path), origin.keep(path) else { return nil }
    return try origin.stream(at: path).map { $0 === there.viewing.hub } ?? true ? there : nil
  }

  /// Returns the UNIX time at the start of a stream's timeline. The time is the same for all renditions that run at a time, so
  /// that players can change between them.
  private func epoch(of source: StreamPath) -> Int64? {
    let known = state.withLock { $0.families[source]?.lazy.compactMap(\.epoch).first }
    return known
      ?? origin.known(source)?.epoch(unixTime: Int64(Date().timeIntervalSince1970 * 1000), now: Origin.now())
  }

  /// Returns the rendition reports in the playlist of a stream: a line for each other rendition that is segmented now.
  func reports(besides stream: HLSStream, query: String) -> String {
    let family = state.withLock { $0.families[stream.viewing.path.source] ?? [] }
    guard family.count > 1 else { return "" }
    return family.filter { $0 !== stream }.compactMap { other in
      other.lastPart.withLock { $0 }.map {
        HLSPlaylist.report(of: other.viewing.path.stream, query: query, at: $0)
      }
    }.joined()
  }

  /// Returns the stream's HLS if it is running.
  func existing(_ path: StreamPath) -> HLSStream? { state.withLock { $0.streams[path] } }

  /// Removes a stream, so that the next request starts it again.
  func forget(_ stream: HLSStream) {
    let path = stream.viewing.path
    let wasThere = state.withLock { $0.remove(stream) }
    if wasThere { origin.log.info("HLS ends", metadata: ["stream": "\(path)"]) }
  }

  package func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_origin_hls_waiting", .gauge, "HLS requests that wait for media.", waiting.count)
    text.add("roomserver_origin_hls_streams", .gauge, "Live streams that are cut for HLS.", count)
    text.add("roomserver_origin_hls_streams_total", .counter, "Live streams that began to be cut for HLS.", begun)
  }

  /// Ends all streams, and answers the requests that wait.
  package func stop() async {
    let streams = state.withLock { state in
      state.isStopping = true
      defer { (state.streams, state.families) = ([:], [:]) }
      return Array(state.streams.values)
    }
    for stream in streams { stream.stop() }
  }
}

extension StreamPath {
  /// The stream that this is a variant of; itself if it is not a variant.
  fileprivate var source: StreamPath {
    StreamVariant(stream).flatMap { StreamPath(app: app, stream: $0.source) } ?? self
  }
}
