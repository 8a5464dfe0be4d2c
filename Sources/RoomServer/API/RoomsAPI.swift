import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol
import RoomEngine

/// Rooms, participants and tracks over REST.
package struct RoomsAPI: Sendable {
  package let directory: RoomDirectory
  package let limits: ServerLimits
  /// The number of viewers of each stream at this server's origin.
  package var streamViewers: @Sendable () -> [StreamPath: Int] = { [:] }
  /// The nodes that serve the people of rooms; nil if this server serves all.
  package var places: AudiencePlaces?

  package var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms", access: .api, action: .answer { request, _ in list(request) }),
      Endpoint("POST", "/v1/rooms", access: .api, takesBody: true, action: .answer { request, _ in await create(request) }),
      Endpoint("GET", "/v1/rooms/*", access: .api, action: .answer { _, names in await show(names) }),
      Endpoint(
        "PATCH", "/v1/rooms/*", access: .api, takesBody: true,
        action: .answer { request, names in await change(request, names) }),
      Endpoint("DELETE", "/v1/rooms/*", access: .api, action: .answer { _, names in await close(names) }),
      Endpoint("GET", "/v1/rooms/*/statistics", access: .api, action: .answer { _, names in await statistics(names) }),
      Endpoint("GET", "/v1/rooms/*/participants", access: .api, action: .answer { _, names in await participants(names) }),
      Endpoint("DELETE", "/v1/rooms/*/participants/*", access: .api, action: .answer { _, names in await kick(names) }),
      Endpoint(
        "PUT", "/v1/rooms/*/participants/*/permissions", access: .api, takesBody: true,
        action: .answer { request, names in await permit(request, names) }),
      Endpoint(
        "POST", "/v1/rooms/*/tracks/*/mute", access: .api, takesBody: true,
        action: .answer { request, names in await mute(request, names) }),
    ]
  }

  private func list(_ request: HTTPRequest) -> HTTPResponse {
    let query: RoomPage.Query
    do throws(RoomError) { query = try Self.query(of: request) } catch { return .error(400, error) }
    let page = page(query)
    return .json(
      API.RoomList(
        rooms: page.entries.map(API.RoomSummary.init), totals: page.totals, next: page.next.map { query.order.text(of: $0) }))
  }

  /// Reads the query of a list.
  package static func query(of request: HTTPRequest) throws(RoomError) -> RoomPage.Query {
    var query = RoomPage.Query()
    query.text = try request.queryText("q", longest: 64) ?? ""
    query.filter = try request.queryCase("state")
    query.order = try request.queryCase("sort") ?? .name
    query.limit = Int(try request.queryNumber("limit", 1...Int64(Self.largestPage)) ?? Int64(Self.largestPage))
    if let text = try request.queryText("after", longest: 128) {
      guard let cursor = query.order.cursor(text) else {
        throw HTTPError.badRequest("after: the `next` of a page with the same sort")
      }
      query.after = cursor
    }
    return query
  }

  /// Lists the rooms of this server.
  package func page(_ query: RoomPage.Query) -> RoomPage {
    let viewers = streamViewers()
    let rooms = directory.summaries.withLock { Array($0.values) }
    return RoomPage(
      of: rooms.lazy.map { room in RoomPage.Entry(room: room, streamViewers: room.watchedStream.flatMap { viewers[$0] }) },
      query)
  }

  private func detail(of room: Room) async -> API.RoomDetail {
    let summary = await room.read { RoomSummary(of: $0) }
    let entry = RoomPage.Entry(room: summary, streamViewers: summary.watchedStream.flatMap { streamViewers()[$0] })
    return await room.detail(
      viewers: entry.viewers,
      audience: places.map { API.Audience($0.viewers(of: entry.room, streamViewers: entry.streamViewers)) })
  }

  private func create(_ request: HTTPRequest) async -> HTTPResponse {
    let body: API.NewRoom
    do throws(RoomError) { body = try APIBody.read(API.NewRoom.self, from: request) } catch { return .error(400, error) }
    guard NameRule.allows(body.name) else { return .error(400, HTTPError.badRequest("name: \(NameRule.text)")) }
    if let validationError = body.settings.validationError(limits) { return .error(400, HTTPError.badRequest(validationError)) }
    var options = RoomSettingsOptions()
    body.settings.apply(to: &options)
    do throws(RoomError) {
      let (room, isNew) = try await directory.open(body.name, options)
      return .json(API.RoomSummary(RoomPage.Entry(room: await room.read { RoomSummary(of: $0) })), status: isNew ? 201 : 200)
    } catch {
      return .error(429, error)
    }
  }

  private func show(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(await detail(of: $0)) }
  }

  private func change(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let options: API.RoomSettingsUpdate
    do throws(RoomError) { options = try APIBody.read(API.RoomSettingsUpdate.self, from: request) } catch {
      return .error(400, error)
    }
    if let validationError = options.validationError(limits) { return .error(400, HTTPError.badRequest(validationError)) }
    return await directory.change(names) { room in
      do throws(RoomError) {
        try await room.change({ options.apply(to: &$0) }, settle: { directory.settings(for: $0) })
        return .json(await detail(of: room))
      } catch {
        return .error(409, error)
      }
    }
  }

  private func close(_ names: [String]) async -> HTTPResponse {
    await directory.change(names) { room in
      await room.close(EndedData(reason: .roomClosed, by: ""))
      return .noContent
    }
  }

  private func statistics(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(await $0.statistics()) }
  }

  private func participants(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(API.ParticipantList(participants: await $0.read(\.participants))) }
  }

  private func kick(_ names: [String]) async -> HTTPResponse {
    await directory.change(names) { room in
      do throws(RoomError) {
        try await room.call(.kick(UserParams(userId: UserID(names[1]))))
        return .noContent
      } catch {
        return .error(404, error)
      }
    }
  }

  private func permit(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let permissions: Permissions
    do throws(RoomError) {
      permissions = try APIBody.read(Permissions.self, from: request)
      guard permissions.isValid else {
        throw HTTPError.badRequest("sources: at most \(Permissions.maximumSources) tags of at most 64 bytes")
      }
      guard !permissions.grants.contains(.hidden) else {
        throw HTTPError.badRequest("grants: whether a participant is hidden does not change")
      }
    } catch { return .error(400, error) }
    return await directory.change(names) { room in
      do throws(RoomError) {
        return .json(try await room.perform { core throws(RoomError) in try core.permit(UserID(names[1]), permissions) })
      } catch {
        return .error(404, error)
      }
    }
  }

  private func mute(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: API.Mute
    do throws(RoomError) {
      body = try APIBody.read(API.Mute.self, from: request)
    } catch { return .error(400, error) }
    return await directory.with(names) { room in
      do throws(RoomError) {
        return .json(try await room.call(.mute(MuteParams(trackId: TrackID(names[1]), muted: body.muted))))
      } catch {
        return .error(error.code == .wrongMicState ? 409 : 404, error)
      }
    }
  }

  /// The maximum number of rooms in one answer.
  private static let largestPage = 1000
}

extension API.RoomSummary {
  /// The number of users that a list of rooms names for each room.
  private static let shownUsers = 8

  package init(_ entry: RoomPage.Entry) {
    let room = entry.room
    name = room.name
    createdAt = room.createdAt
    kind = room.kind
    participants = room.users.count
    publishers = room.publishers
    tracks = room.tracks
    users = Array(room.users.prefix(Self.shownUsers))
    viewers = entry.viewers
    seats = room.seats
    speakers = Array(room.speakers.prefix(Self.shownUsers))
    shown = room.shown
    live = room.live.map { live in
      Live(
        state: live.state, since: live.since, jobId: live.jobId, stream: live.stream?.name,
        viewers: live.stream.map { _ in entry.viewers })
    }
    pk = room.pk
    jobs = room.jobs
  }
}

extension API.Audience {
  init(_ viewers: [AudiencePlace: Int]) {
    let present = viewers.filter { $0.value > 0 }.sorted { $0.key.node < $1.key.node }
    nodes = present.map { Node(node: "\($0.key.node)", region: $0.key.region, viewers: $0.value) }
    let byRegion = Dictionary(present.map { ($0.key.region, $0.value) }, uniquingKeysWith: +)
    regions = byRegion.sorted { $0.key < $1.key }.map { Region(region: $0.key, viewers: $0.value) }
  }
}

extension Room {
  /// - Parameters:
  ///   - viewers: the people who watch, also the streams of the room.
  ///   - audience: the same by node.
  fileprivate func detail(viewers: Int, audience: API.Audience?) -> API.RoomDetail {
    API.RoomDetail(
      name: name, createdAt: createdAt, viewers: viewers, audience: audience, settings: API.RoomSettings(read(\.settings)),
      play: playURLs,
      participants: read(\.participants))
  }
}

extension RoomDirectory {
  /// Opens a room, unless it is open already. Returns once that is stored.
  /// - Parameter attributes: those of a new room; valid ones.
  package nonisolated func open(
    _ name: RoomName, _ options: RoomSettingsOptions, attributes: [String: String] = [:]
  ) async throws(RoomError) -> (room: Room, isNew: Bool) {
    do throws(RoomError) {
      try await prepare(name, or: .updateRoomFailed)
      let opened = try await create(name, options, attributes: attributes)
      await store?.settled()
      return opened
    } catch {
      await releaseUnlessOpen(name)
      throw error
    }
  }

  /// Runs `body` with the room of the first name, or answers 404002 if there is none.
  package nonisolated func with(_ names: [String], _ body: (Room) async -> HTTPResponse) async -> HTTPResponse {
    guard let name = names.first, let room = await room(RoomName(name)) else {
      return .error(404, RoomError(.roomNotFound, "there is no room \"\(names.first?.prefix(64) ?? "")\""))
    }
    return await body(room)
  }

  /// Like ``with(_:_:)``, for operations that change stored state: a successful answer waits until the change is stored.
  package nonisolated func change(_ names: [String], _ body: (Room) async -> HTTPResponse) async -> HTTPResponse {
    let response = await with(names, body)
    if response.status < 400 { await store?.settled() }
    return response
  }
}
