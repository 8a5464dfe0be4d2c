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
        action: .prompt { request, names in playlist(app: names[0], stream: names[1], request) }),
      Endpoint(
        "GET", "/*/*/multivariant.m3u8", access: .open,
        action: .answer { request, names in await multivariant(app: names[0], stream: names[1], request) }),
      file(ending: ".m4s"), file(ending: ".mp4"),
    ]
  }

  private func file(ending: String) -> Endpoint {
    Endpoint(
      "GET", "/*/*/*" + ending, access: .open,
      action: .prompt { request, names in file(app: names[0], stream: names[1], name: names[2] + ending, request) })
  }

  // MARK: Playlists

  private func playlist(app: String, stream: String, _ request: HTTPRequest) -> Endpoint.Reply {
    let directives: HLSDirectives
    do { directives = try HLSDirectives(query: request.query) } catch { return .ready(answer(.refused(error))) }
    let wanted = HLSShelf.PlaylistRequest(
      directives: directives, query: HLSDirectives.remainder(ofQuery: request.query), player: HLSPlayer(request))
    do throws(OriginRefusal) {
      let path = try admit(app: app, stream: stream, request)
      if let hls = try directory.current(path) {
        switch hls.playlist(for: wanted, reports: reports(besides: hls, wanted)) {
        case .ready(.over), .missing(.playlist): break
        case .ready(let outcome): return .ready(answer(outcome))
        // Thousands of players wait for the same part: each is answered without a task of its own.
        case .missing(let missing):
          return .promised { deliver in
            hls.wait(for: missing) { failure in
              deliver(answer(failure ?? hls.currentPlaylist(for: wanted, reports: reports(besides: hls, wanted))))
            }
          }
        }
      }
      return .later {
        await playlist(path, request) { hls in
          hls.playlist(for: wanted, reports: reports(besides: hls, wanted))
        } afterWait: { hls in
          hls.currentPlaylist(for: wanted, reports: reports(besides: hls, wanted))
        }
      }
    } catch { return .ready(directory.origin.refused(error, request)) }
  }

  private func reports(besides stream: HLSStream, _ request: HLSShelf.PlaylistRequest) -> String {
    directory.reports(besides: stream, query: request.query)
  }

  private func multivariant(app: String, stream: String, _ request: HTTPRequest) async -> HTTPResponse {
    let query = HLSDirectives.remainder(ofQuery: request.query)
    do throws(OriginRefusal) {
      return await playlist(try admit(app: app, stream: stream, request), request) { $0.multivariant(query: query) }
    } catch { return directory.origin.refused(error, request) }
  }

  private func admit(app: String, stream: String, _ request: HTTPRequest) throws(OriginRefusal) -> StreamPath {
    guard let path = StreamPath(app: app, stream: stream) else { throw OriginRefusal(.name, "the stream name is invalid") }
    try directory.admit(path, query: request.query)
    return path
  }

  /// Starts to segment the stream if necessary, asks it for a playlist, and waits for what the answer needs.
  private func playlist(
    _ path: StreamPath, _ request: HTTPRequest, ask: (HLSStream) -> HLSStream.Reply,
    afterWait current: (HLSStream) -> HLSStream.Outcome = { _ in .late }
  ) async -> HTTPResponse {
    do throws(OriginRefusal) {
      let hls = try await directory.open(path)
      var outcome = await self.outcome(of: hls, ask, current)
      if case .over = outcome {
        // The stream has just ended; it is started again.
        directory.forget(hls)
        outcome = await self.outcome(of: try await directory.open(path), ask, current)
      }
      return answer(outcome)
    } catch {
      return directory.origin.refused(error, request)
    }
  }

  private func outcome(
    of hls: HLSStream, _ ask: (HLSStream) -> HLSStream.Reply, _ current: (HLSStream) -> HLSStream.Outcome
  ) async -> HLSStream.Outcome {
    var reply = ask(hls)
    if case .missing(.playlist) = reply {
      if let failure = await hls.wait(for: .playlist) { return failure }
      reply = ask(hls)
    }
    switch reply {
    case .ready(let outcome): return outcome
    case .missing(.playlist): return .late
    case .missing(let missing): return await hls.wait(for: missing) ?? current(hls)
    }
  }

  // MARK: Files

  private func file(app: String, stream: String, name: String, _ request: HTTPRequest) -> Endpoint.Reply {
    guard let path = StreamPath(app: app, stream: stream), let resource = HLSResource(name) else {
      return .ready(Self.refusal(404, "there is no such file"))
    }
    do { try directory.admit(path, query: request.query) } catch {
      return .ready(directory.origin.refused(error, request))
    }
    guard let hls = directory.existing(path) else { return .ready(answer(.missing)) }
    switch hls.file(resource) {
    case .ready(let outcome): return .ready(answer(outcome))
    case .missing(let part):
      return .promised { deliver in hls.wait(for: part) { deliver(answer($0 ?? hls.currentFile(resource))) } }
    }
  }

  // MARK: Answers

  private func answer(_ outcome: HLSStream.Outcome) -> HTTPResponse {
    switch outcome {
    case .found(let response):
      directory.origin.counters.countSent(response.body.count, over: .hls)
      return response
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
