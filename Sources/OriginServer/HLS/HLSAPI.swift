import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol

/// HLS over HTTP: `/{app}/{stream}.m3u8`, the files that the playlist names, and `/{app}/{stream}/multivariant.m3u8`, which lists
/// the stream and variants of it.
package struct HLSAPI: Sendable {
  let directory: HLSDirectory

  package init(directory: HLSDirectory) { self.directory = directory }

  package var endpoints: [Endpoint] {
    [
      Endpoint(
        "GET", "/*/*.m3u8", access: .open,
        action: .answer { request, names in await playlist(app: names[0], stream: names[1], request) }),
      Endpoint(
        "GET", "/*/*/multivariant.m3u8", access: .open,
        action: .answer { request, names in await multivariant(app: names[0], stream: names[1], request) }),
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
    let directives: HLSDirectives
    do { directives = try HLSDirectives(query: request.query) } catch { return answer(.refused(error)) }
    let query = HLSDirectives.remainder(ofQuery: request.query)
    let player = HLSPlayer(request)
    return await playlist(app: app, stream: stream, request) { hls in
      await hls.playlist(directives, query: query, for: player) { directory.reports(besides: hls, query: query) }
    }
  }

  private func multivariant(app: String, stream: String, _ request: HTTPRequest) async -> HTTPResponse {
    let query = HLSDirectives.remainder(ofQuery: request.query)
    return await playlist(app: app, stream: stream, request) { await $0.multivariant(query: query) }
  }

  /// Admits a player, starts to segment the stream if necessary, and asks it for a playlist.
  private func playlist(
    app: String, stream: String, _ request: HTTPRequest, ask: (HLSStream) async -> HLSStream.Outcome
  ) async -> HTTPResponse {
    do throws(OriginRefusal) {
      guard let path = StreamPath(app: app, stream: stream) else { throw OriginRefusal(.name, "the stream name is invalid") }
      try directory.admit(path, query: request.query)
      let hls = try await directory.open(path)
      var outcome = await ask(hls)
      if case .over = outcome {
        // The stream has just ended; it is started again.
        directory.forget(hls)
        outcome = await ask(try await directory.open(path))
      }
      return answer(outcome, type: "application/vnd.apple.mpegurl", caching: "no-cache")
    } catch {
      return directory.origin.refused(error, request)
    }
  }

  private func file(app: String, stream: String, name: String, _ request: HTTPRequest) async -> HTTPResponse {
    guard let path = StreamPath(app: app, stream: stream), let resource = HLSResource(name) else {
      return Self.refusal(404, "there is no such file")
    }
    do { try directory.admit(path, query: request.query) } catch { return directory.origin.refused(error, request) }
    guard let hls = directory.existing(path) else { return answer(.missing) }
    // A name is never reused for other content.
    return answer(await hls.resource(resource), type: "video/mp4", caching: "public, max-age=60, immutable")
  }

  private func answer(_ outcome: HLSStream.Outcome, type: String = "", caching: String = "") -> HTTPResponse {
    switch outcome {
    case .found(let bytes):
      directory.origin.counters.countSent(bytes.count, over: .hls)
      return HTTPResponse(
        status: 200, headers: [("Content-Type", type), ("Cache-Control", caching)] + Self.everywhere, body: bytes)
    case .missing: return Self.refusal(404, "the file does not exist, or no longer")
    case .refused(.malformed): return Self.refusal(400, "_HLS_msn and _HLS_part must be numbers, and _HLS_skip YES or v2")
    case .refused(.tooFarAhead): return Self.refusal(400, "_HLS_msn or _HLS_part is too far ahead of the playlist")
    case .late: return Self.refusal(503, "the stream has no segment yet", [("Retry-After", "2")])
    case .busy:
      directory.origin.counters.count(.waiting)
      return Self.refusal(503, "too many requests wait for media", [("Retry-After", "2")])
    case .over: return Self.refusal(503, "the stream is ending", [("Retry-After", "2")])
    }
  }

  private static func refusal(
    _ status: Int, _ sentence: String, _ headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    .error(status, RoomError(status == 400 ? .unknownMessage : .subscribeFailed, sentence), headers: Origin.headers + headers)
  }
}
