import Foundation
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomRTP

/// The state of watch pages: `GET /v1/watch/{room}` and `GET /v1/watch/{app}/{stream}`.
///
/// Pages ask again every few seconds. A viewer thus costs no connection, and the server keeps nothing for it. A room is asked at
/// most once in `freshness`, however many viewers it has.
struct WatchAPI: Sendable {
  private let entrance: Entrance
  private let origin: Origin
  private let throttle: Guarded<JoinThrottle>
  private let rooms = Guarded<[RoomName: (read: Instant, room: WatchedRoom)]>([:])
  private let startedAt = Self.now

  /// How old the state of a room may be, in microseconds.
  private static let freshness: Int64 = 500_000
  /// Rooms whose state is kept at a time; above it, old states are removed.
  private static let mostKept = 1000

  init(entrance: Entrance, origin: Origin, limits: ServerLimits) {
    self.entrance = entrance
    self.origin = origin
    throttle = Guarded(
      JoinThrottle(perSecond: limits.watchesPerSecond, burst: limits.watchBurst, capacity: limits.joinAddresses))
  }

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/watch/*", access: .open, action: .answer { request, names in await room(request, names[0]) }),
      Endpoint("GET", "/v1/watch/*/*", access: .open, action: .answer { request, names in stream(request, names) }),
      Endpoint("GET", "/v1/streams/*/*/play", access: .api, action: .answer { _, names in play(names) }),
    ]
  }

  // MARK: Rooms

  private func room(_ request: HTTPRequest, _ name: String) async -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    do throws(SessionRefusal) {
      guard NameRule.allows(name) else { throw .notAName }
      let name = RoomName(name)
      do throws(Entrance.Refusal) {
        _ = try await entrance.viewer(of: name, token: request.bearerToken, from: request.client)
      } catch { throw SessionRefusal(error) }
      let after: Int64?
      do throws(RoomError) { after = try request.queryNumber("after", 0...(1 << 53)) } catch {
        throw .badRequest(error.message)
      }
      return Self.answer(state(await watched(name), name, after: after.map { Int($0) } ?? 0))
    } catch {
      return .error(error.status, error.error, headers: error.headers)
    }
  }

  private func watched(_ name: RoomName) async -> WatchedRoom? {
    let now = Instant.now
    if let kept = rooms.withLock({ $0[name] }), now - kept.read < Self.freshness { return kept.room }
    guard let room = await entrance.directory.room(name) else {
      rooms.withLock { $0[name] = nil }
      return nil
    }
    let watched = await WatchedRoom(room)
    rooms.withLock { rooms in
      if rooms.count >= Self.mostKept { rooms = rooms.filter { now - $0.value.read < Self.freshness } }
      if rooms.count < Self.mostKept { rooms[name] = (now, watched) }
    }
    return watched
  }

  private func state(_ room: WatchedRoom?, _ name: RoomName, after: Int) -> WatchState {
    let path = room?.stream ?? StreamPath(app: PlayAddresses.app, stream: name.rawValue)
    let shape = path.flatMap { origin.shape(of: $0) }
    let sources = path.flatMap { path in shape.map { self.sources(of: path, $0) } } ?? []
    let viewers = (room?.viewers ?? 0) + (shape?.viewers ?? 0)
    let hasTracks = room?.hasTracks ?? false
    // A job of the room sends its last picture for a while after its participant has left. A stream that is not the job's own is
    // live: during a PK by move another room publishes it.
    let isStreamLive = room?.stream == nil && shape?.isPublished == true
    return WatchState(
      at: Self.now, startedAt: startedAt, isLive: hasTracks || isStreamLive,
      whep: hasTracks ? "/whep/\(name)" : nil, sources: sources, viewers: room?.policy.viewers == true ? viewers : nil,
      messages: room?.policy.chat == true ? room?.messages.filter { $0.seq > after }.map(WatchState.Message.init) : nil,
      poll: Self.poll(viewers: viewers))
  }

  // MARK: Streams

  private func stream(_ request: HTTPRequest, _ names: [String]) -> HTTPResponse {
    guard admits(request) else { return Self.tooMany }
    guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
      return .error(404, RoomError(.subscribeFailed, "the stream name is invalid"))
    }
    do throws(OriginRefusal) { try origin.admitPlay("/watch\(path)", query: request.query) } catch {
      return origin.refused(error, request)
    }
    let shape = origin.shape(of: path)
    let viewers = shape?.viewers ?? 0
    return Self.answer(
      WatchState(
        at: Self.now, startedAt: startedAt, isLive: shape?.isPublished ?? false,
        sources: shape.map { self.sources(of: path, $0) } ?? [], viewers: viewers, poll: Self.poll(viewers: viewers)))
  }

  /// Returns the play URLs of a stream, which need not be published.
  private func play(_ names: [String]) -> HTTPResponse {
    guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
      return .error(404, RoomError(.subscribeFailed, "the stream name is invalid"))
    }
    return .json(entrance.directory.play.withLock { $0 }.urls(of: path, unixTime: Self.now / 1000))
  }

  // MARK: Both

  private func sources(of path: StreamPath, _ shape: StreamShape) -> [WatchState.Source] {
    let addresses = entrance.directory.play.withLock { $0 }
    let time = Self.now / 1000
    func source(_ path: StreamPath, _ name: String, _ width: Int?, _ height: Int?) -> WatchState.Source {
      WatchState.Source(
        name: name, width: width, height: height, flv: addresses.signed("\(path).flv", time),
        hls: addresses.signed("\(path).m3u8", time))
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

  private static let tooMany = HTTPResponse.error(
    429, RoomError(.joinFailed, "too many requests of watch pages from this address"), headers: [("Retry-After", "2")])

  private static func answer(_ state: WatchState) -> HTTPResponse {
    var response = HTTPResponse.json(state)
    response.headers.append(("Cache-Control", "no-store"))
    return response
  }

  /// Milliseconds between two requests of a page: more in a large audience, so that its requests remain few.
  private static func poll(viewers: Int) -> Int { min(10_000, 2000 + 2 * max(0, viewers)) }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

/// The state of a room as its viewers see it.
private struct WatchedRoom: Sendable {
  var policy: WatchPolicy
  var hasTracks: Bool
  /// The number of WHEP sessions.
  var viewers: Int
  /// The stream of the origin on which the room is on air.
  var stream: StreamPath?
  var messages: [RoomMessage] = []

  init(_ room: Room) async {
    policy = await room.settings.watch
    let counts = await room.counts
    hasTracks = counts.tracks > 0
    viewers = counts.viewers
    stream = await room.jobList.stream(of: room.name)
    if policy.chat { messages = await room.publicMessages }
  }
}
