import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol

/// HLS over HTTP: `/{app}/{stream}.m3u8`, and the files that the playlist names.
package struct HLSAPI: Sendable {
  let directory: HLSDirectory

  package init(directory: HLSDirectory) { self.directory = directory }

  package var endpoints: [Endpoint] {
    [
      Endpoint(
        "GET", "/*/*.m3u8", access: .open,
        action: .answer { request, names in await playlist(app: names[0], stream: names[1], request) }),
      file(ending: ".m4s"), file(ending: ".mp4"),
    ]
  }

  private func file(ending: String) -> Endpoint {
    Endpoint(
      "GET", "/*/*/*" + ending, access: .open,
      action: .answer { request, names in await file(app: names[0], stream: names[1], name: names[2] + ending, request) })
  }

  /// Any page with the address of a stream may play it.
  private static let everywhere = Origin.headers.filter { $0.name != "Cache-Control" }

  private func playlist(app: String, stream: String, _ request: HTTPRequest) async -> HTTPResponse {
    do {
      guard let path = StreamPath(app: app, stream: stream) else { throw OriginRefusal(.name, "the stream name is invalid") }
      try directory.admit(path, query: request.query)
      var hls = try await directory.open(path)
      let reload = try HLSReload.parse(query: request.query)
      let query = HLSReload.remainder(ofQuery: request.query)
      let player = HLSPlayer(request)
      var outcome = await hls.playlist(reload, query: query, for: player)
      if case .over = outcome {
        // The stream has just ended; it is started again.
        directory.forget(hls)
        hls = try await directory.open(path)
        outcome = await hls.playlist(reload, query: query, for: player)
      }
      return answer(outcome, type: "application/vnd.apple.mpegurl", caching: "no-cache")
    } catch let refusal as OriginRefusal {
      return directory.origin.refused(refusal, request)
    } catch {
      return Self.refusal(400, "_HLS_msn and _HLS_part must be a segment number and a part number")
    }
  }

  private func file(app: String, stream: String, name: String, _ request: HTTPRequest) async -> HTTPResponse {
    guard let path = StreamPath(app: app, stream: stream), let resource = HLSResource(name) else {
      return Self.refusal(404, "there is no such file")
    }
    do { try directory.admit(path, query: request.query) } catch { return directory.origin.refused(error, request) }
    guard let hls = directory.existing(path) else { return answer(.missing, type: "", caching: "") }
    // A name is never reused for other content.
    return answer(await hls.resource(resource), type: "video/mp4", caching: "public, max-age=60, immutable")
  }

  private func answer(_ outcome: HLSStream.Outcome, type: String, caching: String) -> HTTPResponse {
    switch outcome {
    case .found(let bytes):
      directory.origin.counters.countSent(bytes.count, over: .hls)
      return HTTPResponse(
        status: 200, headers: [("Content-Type", type), ("Cache-Control", caching)] + Self.everywhere, body: bytes)
    case .missing: return Self.refusal(404, "the file does not exist, or no longer")
    case .refused(.malformed): return Self.refusal(400, "_HLS_msn and _HLS_part must be numbers")
    case .refused(.tooFarAhead): return Self.refusal(400, "_HLS_msn is too far ahead of the playlist")
    case .late: return Self.refusal(503, "the stream has no segment yet", [("Retry-After", "2")])
    case .busy: return Self.refusal(503, "too many requests wait for this stream", [("Retry-After", "2")])
    case .over: return Self.refusal(503, "the stream is ending", [("Retry-After", "2")])
    }
  }

  private static func refusal(
    _ status: Int, _ sentence: String, _ headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    .error(status, RoomError(status == 400 ? .unknownMessage : .subscribeFailed, sentence), headers: Origin.headers + headers)
  }
}
