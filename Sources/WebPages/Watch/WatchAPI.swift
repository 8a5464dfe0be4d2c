import Foundation
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomRTP
import RoomServer

/// The state of watch pages: `GET /v1/watch/{room}` and `GET /v1/watch/{app}/{stream}`.
///
/// Pages ask again every few seconds. A viewer thus costs no connection, and the server keeps nothing for it.
struct WatchAPI: Sendable {
  private let entrance: Entrance
  private let origin: Origin
  private let throttle: Guarded<JoinThrottle>
  private let rooms: WatchedRooms
  private let pictures: WatchPictures
  private let startedAt = Self.now
  /// Pages that showed nothing, as they report it.
  let failures = Guarded<[WatchFailure: Int]>([:])

  init(entrance: Entrance, origin: Origin, limits: ServerLimits) {
    self.entrance = entrance
    self.origin = origin
    rooms = WatchedRooms(entrance.directory)
    pictures = WatchPictures(origin)
    throttle = Guarded(
      JoinThrottle(perSecond: limits.watchesPerSecond, burst: limits.watchBurst, capacity: limits.joinAddresses))
  }

  var endpoints: [Endpoint] {
    [
      watched,
      Endpoint("GET", "/v1/watch/*/*", access: .open, action: .answer { request, names in await stream(request, names) }),
      Endpoint(
        "GET", "/watch/*/picture.jpg", access: .open,
        action: .answer { request, names in await roomPicture(request, names[0]) }),
      Endpoint(
        "GET", "/watch/*/*/picture.jpg", access: .open,
        action: .answer { request, names in await streamPicture(request, names) }),
      Endpoint("POST", "/v1/watch-failures", access: .open, action: .answer { request, _ in failure(request) }),
      Endpoint("GET", "/v1/streams/*/*/play", access: .api, action: .answer { _, names in play(names) }),
    ]
  }

  // MARK: Rooms

  /// The state of a room, which the room's node knows.
  private var watched: Endpoint {
    var endpoint = Endpoint(
      "GET", "/v1/watch/*", access: .open, action: .answer { request, names in await room(request, names[0]) })
    endpoint.scoping = .init(unavailable: { .error(503, $0, headers: [("Retry-After", "1")]) }) { _, names in
      guard let name = names.first, NameRule.allows(name) else { return .here }
      return .media(RoomName(name), opens: false)
    }
    return endpoint
  }

  private func room(_ request: HTTPRequest, _ name: String) async -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    do throws(SessionRefusal) {
      let name = try await admitted(request, name)
      let after: Int64?
      let wantsProgram: Bool
      do throws(RoomError) {
        after = try request.queryNumber("after", 0...(1 << 53))
        wantsProgram = try request.queryFlag("program")
      } catch {
        throw .badRequest(error.message)
      }
      let isStarting = wantsProgram ? await startsProgram(of: name) : false
      var state = await state(await rooms.room(name), name, after: after.map { Int($0) } ?? 0)
      if isStarting { state.poll = Self.startingPoll }
      return Self.answer(state)
    } catch {
      return .error(error.status, error.error, headers: error.headers)
    }
  }

  /// Makes or keeps the program for viewers without WebRTC, unless the room has a live. Returns whether it is about to begin.
  private func startsProgram(of name: RoomName) async -> Bool {
    guard let room = await entrance.directory.room(name), await room.read(\.jobList).stream(of: name) == nil else {
      return false
    }
    switch await room.perform({ $0.watchProgram() }) {
    case .none: return false
    case .starting: return true
    case .stream(let path): return origin.shape(of: path)?.isPublished != true
    }
  }

  /// Returns the name of the room if the request may watch it.
  private func admitted(_ request: HTTPRequest, _ name: String) async throws(SessionRefusal) -> RoomName {
    guard NameRule.allows(name) else { throw .notAName }
    let name = RoomName(name)
    do throws(Entrance.Refusal) {
      _ = try await entrance.viewer(of: name, token: request.bearerToken, from: request.client)
    } catch { throw SessionRefusal(error) }
    return name
  }

  private func state(_ room: WatchedRoom?, _ name: RoomName, after: Int) async -> WatchState {
    let path = WatchedRoom.stream(of: room, name)
    let shape = path.flatMap { origin.shape(of: $0) }
    // A program on demand is worth a try once it is there.
    let isStarting = room?.stream == nil && room?.program != nil && shape?.isPublished != true
    let sources = path.flatMap { path in isStarting ? nil : shape.map { self.sources(of: path, $0) } } ?? []
    let viewers = (room?.viewers ?? 0) + (shape?.viewers ?? 0)
    let hasTracks = room?.hasTracks ?? false
    // A job of the room sends its last picture for a while after its participant has left. A stream that is not the job's own is
    // live: during a PK by move another room publishes it.
    let isStreamLive = room?.stream == nil && shape?.isPublished == true
    return WatchState(
      at: Self.now, startedAt: startedAt, isLive: hasTracks || isStreamLive,
      whep: hasTracks ? "/whep/\(name)" : nil,
      layers: room.flatMap { $0.layers.isEmpty ? nil : $0.layers }, sources: sources,
      viewers: room?.policy.viewers == true ? viewers : nil,
      messages: room?.policy.chat == true ? room?.messages.filter { $0.seq > after }.map(WatchState.Message.init) : nil,
      poll: Self.poll(viewers: viewers), redirect: await entrance.directory.redirect(forPageAt: .now))
  }

  // MARK: Streams

  private func stream(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
      return Self.noStream
    }
    do throws(OriginRefusal) {
      try origin.admitPlay("/watch\(path)", query: request.query)
      // Another node of a cluster may publish it.
      try await origin.prepare(path)
    } catch {
      return origin.refused(error, request)
    }
    let shape = origin.shape(of: path)
    let viewers = shape?.viewers ?? 0
    return Self.answer(
      WatchState(
        at: Self.now, startedAt: startedAt, isLive: shape?.isPublished ?? false,
        sources: shape.map { self.sources(of: path, $0) } ?? [], viewers: viewers, poll: Self.poll(viewers: viewers),
        redirect: await entrance.directory.redirect(forPageAt: .now)))
  }

  /// Returns the play URLs of a stream, which need not be published.
  private func play(_ names: [String]) -> HTTPResponse {
    guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
      return Self.noStream
    }
    return .json(entrance.directory.play.withLock { $0 }.urls(of: path, unixTime: Self.now / 1000))
  }

  // MARK: Failures

  /// Counts a page that shows nothing. The request needs no token, because such a page may have none; its rate is limited by address.
  private func failure(_ request: HTTPRequest) -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    let report: WatchFailure.Report
    do throws(RoomError) {
      report = try APIBody.read(WatchFailure.Report.self, from: request)
    } catch {
      return .error(400, error)
    }
    let names = report.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(names.count), names.allSatisfy(NameRule.allows) else { return Self.noStream }
    failures.withLock { $0[report.reason, default: 0] += 1 }
    return .noContent
  }

  // MARK: Pictures

  private func roomPicture(_ request: HTTPRequest, _ name: String) async -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    do throws(SessionRefusal) {
      let name = try await admitted(request, name)
      return await picture(of: WatchedRoom.stream(of: await rooms.room(name), name), isPublic: request.bearerToken == nil)
    } catch {
      return .error(error.status, error.error, headers: error.headers)
    }
  }

  private func streamPicture(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    guard let path = StreamPath(app: names[0], stream: names[1]) else { return Self.noStream }
    do throws(OriginRefusal) {
      try origin.admitPlay("/watch\(path)", query: request.query)
      // Another node of a cluster may publish it.
      try await origin.prepare(path)
    } catch {
      return origin.refused(error, request)
    }
    return await picture(of: path, isPublic: true)
  }

  private func picture(of path: StreamPath?, isPublic: Bool) async -> HTTPResponse {
    let answer: WatchPictures.Answer = if let path { await pictures.picture(of: path) } else { .none }
    switch answer {
    case .file(let file):
      let seconds = WatchPictures.freshness / 1_000_000
      return HTTPResponse(
        status: 200,
        headers: [
          ("Content-Type", "image/jpeg"), ("Cache-Control", "\(isPublic ? "public" : "private"), max-age=\(seconds)"),
          ("X-Content-Type-Options", "nosniff"),
        ], body: file)
    case .none: return .error(404, RoomError(.subscribeFailed, "no picture is live at the origin"))
    case .busy:
      entrance.counters.count(limit: .watchPictures)
      return .error(503, RoomError(.subscribeFailed, "too many pictures are being made"), headers: [("Retry-After", "2")])
    }
  }

  // MARK: Both

  private func sources(of path: StreamPath, _ shape: StreamShape) -> [WatchState.Source] {
    let addresses = entrance.directory.play.withLock { $0 }
    let time = Self.now / 1000
    func source(_ path: StreamPath, _ name: String, _ width: Int?, _ height: Int?) -> WatchState.Source {
      WatchState.Source(
        name: name, width: width, height: height, flv: addresses.signed("\(path).flv", time),
        hls: addresses.signed("\(path).m3u8", time), notInHLS: shape.notInHLS.isEmpty ? nil : shape.notInHLS)
    }
    let variants = origin.settings.variants.limit == 0 ? [] : shape.variants(of: path)
    return [source(path, "source", shape.width, shape.height)]
      + variants.compactMap { variant in
        StreamPath(app: path.app, stream: variant.name).map {
          source($0, "\(variant.width)×\(variant.height)", variant.width, variant.height)
        }
      }
  }

  private func admits(_ request: HTTPRequest) -> Bool {
    guard let client = request.client, !throttle.withLock({ $0.allows(client, now: .now) }) else { return true }
    entrance.counters.count(limit: .watchRate)
    return false
  }

  private static let noStream = HTTPResponse.error(404, RoomError(.subscribeFailed, "the stream name is invalid"))

  private static let tooMany = HTTPResponse.error(
    429, RoomError(.joinFailed, "too many requests of watch pages from this address"), headers: [("Retry-After", "2")])

  private static func answer(_ state: WatchState) -> HTTPResponse {
    var response = HTTPResponse.json(state)
    response.headers.append(("Cache-Control", "no-store"))
    return response
  }

  /// Milliseconds between two requests of a page: more in a large audience, so that its requests remain few. Pages vary it by
  /// 15 %.
  private static func poll(viewers: Int) -> Int { min(10_000, 2000 + 2 * max(0, viewers)) }

  /// Milliseconds between two requests of a page that waits for the program that is made for it.
  private static let startingPoll = 300

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
