import HTTPServer
import LiveOrigin
import Logging
import NIOConcurrencyHelpers

/// The streams that are cut for HLS now: each begins with its first request and ends when nobody asks any more.
package final class HLSDirectory: Sendable {
  private struct State {
    var streams: [StreamPath: HLSStream] = [:]
    var sessions = HLSSessions()
    var begun = 0
    var isStopping = false
  }

  let origin: Origin
  private let settings: HLSDelivery
  private let state = NIOLockedValueBox(State())

  package init(_ settings: HLSDelivery, origin: Origin) {
    self.settings = settings
    self.origin = origin
  }

  /// Streams that are cut now.
  var count: Int { state.withLockedValue { $0.streams.count } }
  /// Streams that were ever begun.
  var begun: Int { state.withLockedValue { $0.begun } }

  /// Lets a player have the playlist of a stream and what lies beside it: the address of all of it bears the signature of the
  /// playlist, "/app/stream.m3u8".
  func admit(_ path: StreamPath, query: String) throws(OriginRefusal) {
    guard origin.settings.protection.play != nil else { return }
    let words = "\(path) \(QueryString.value("wsSecret", in: query) ?? "") \(QueryString.value("wsTime", in: query) ?? "")"
    guard !state.withLockedValue({ $0.sessions.renew(words, now: Origin.now()) }) else { return }
    try origin.admitPlay("\(path).m3u8", query: query)
    state.withLockedValue { $0.sessions.begin(words, now: Origin.now()) }
  }

  /// The stream's HLS, begun where it is not there yet.
  func open(_ path: StreamPath) async throws(OriginRefusal) -> HLSStream {
    let there = state.withLockedValue { $0.streams[path] }
    if let there {
      // The stream may have ended and begun anew since.
      guard let hub = try origin.stream(at: path), hub !== there.viewing.hub else { return there }
      await there.stop()
      forget(there)
    }
    let made = try HLSStream(try origin.view(path, over: .hls), settings)
    let result: Result<(HLSStream, isNew: Bool), OriginRefusal> = state.withLockedValue { state in
      guard !state.isStopping else { return .failure(OriginRefusal(.stopping, "the server is stopping")) }
      if let other = state.streams[path] { return .success((other, false)) }
      guard state.streams.count < settings.streams else {
        return .failure(OriginRefusal(.hls, "the server cuts \(settings.streams) streams for HLS and takes no more"))
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

  /// The stream's HLS where it is there.
  func existing(_ path: StreamPath) -> HLSStream? { state.withLockedValue { $0.streams[path] } }

  /// Has the next request begin the stream anew.
  func forget(_ stream: HLSStream) {
    let path = stream.viewing.path
    let wasThere = state.withLockedValue { state in
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

  /// Ends all; those who wait are told.
  package func stop() async {
    let streams = state.withLockedValue { state in
      state.isStopping = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { await stream.stop() }
  }
}
