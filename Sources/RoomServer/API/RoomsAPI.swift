import HTTPServer
import RoomProtocol

/// Rooms, participants and tracks over REST.
struct RoomsAPI: Sendable {
  let directory: RoomDirectory
  let limits: ServerLimits

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms", access: .api, action: .answer { _, _ in await list() }),
      Endpoint("POST", "/v1/rooms", access: .api, takesBody: true, action: .answer { request, _ in await create(request) }),
      Endpoint("GET", "/v1/rooms/*", access: .api, action: .answer { _, names in await show(names) }),
      Endpoint("DELETE", "/v1/rooms/*", access: .api, action: .answer { _, names in await close(names) }),
      Endpoint("GET", "/v1/rooms/*/statistics", access: .api, action: .answer { _, names in await statistics(names) }),
      Endpoint("GET", "/v1/rooms/*/participants", access: .api, action: .answer { _, names in await participants(names) }),
      Endpoint("DELETE", "/v1/rooms/*/participants/*", access: .api, action: .answer { _, names in await kick(names) }),
      Endpoint(
        "POST", "/v1/rooms/*/tracks/*/mute", access: .api, takesBody: true,
        action: .answer { request, names in await mute(request, names) }),
    ]
  }

  private func list() async -> HTTPResponse {
    var rooms: [API.RoomSummary] = []
    for room in await directory.all { rooms.append(await summary(of: room)) }
    return .json(API.RoomList(rooms: rooms))
  }

  private func create(_ request: HTTPRequest) async -> HTTPResponse {
    let body: API.NewRoom
    do throws(RoomError) {
      body = try APIBody.read(
        API.NewRoom.self, from: request,
        members: ["name", "emptyTimeout", "maxParticipants", "push", "audience", "stage", "pk", "seatsHost"])
    } catch { return .error(400, error) }
    guard NameRule.allows(body.name) else { return .error(400, HTTPError.badRequest("name: \(NameRule.text)")) }
    guard (10...86400).contains(body.emptyTimeout ?? 10) else {
      return .error(400, HTTPError.badRequest("emptyTimeout: 10 to 86400 seconds"))
    }
    guard (1...limits.participantsPerRoom).contains(body.maxParticipants ?? 1) else {
      return .error(400, HTTPError.badRequest("maxParticipants: 1 to \(limits.participantsPerRoom)"))
    }
    if let complaint = body.stage?.complaint { return .error(400, HTTPError.badRequest("stage.\(complaint)")) }
    if let complaint = body.pk?.complaint { return .error(400, HTTPError.badRequest("pk.\(complaint)")) }
    if let complaint = body.push?.complaint { return .error(400, HTTPError.badRequest("push.\(complaint)")) }
    do throws(RoomError) {
      let (room, isNew) = try await directory.create(
        body.name,
        .init(
          emptyTime: body.emptyTimeout.map { .seconds($0) }, participants: body.maxParticipants, push: body.push, pk: body.pk,
          stage: body.stage, audience: body.audience, host: body.seatsHost)
      )
      await directory.store?.settled()
      return .json(await summary(of: room), status: isNew ? 201 : 200)
    } catch {
      return .error(429, error)
    }
  }

  private func show(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { room in
      .json(
        API.RoomDetail(
          name: room.name, createdAt: room.createdAt, viewers: await room.counts.viewers, participants: await room.roster))
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
    await directory.with(names) { .json(API.ParticipantList(participants: await $0.roster)) }
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

  private func mute(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: API.Mute
    do throws(RoomError) {
      body = try APIBody.read(API.Mute.self, from: request, members: ["muted"])
    } catch { return .error(400, error) }
    return await directory.with(names) { room in
      do throws(RoomError) {
        return .json(try await room.call(.mute(MuteParams(trackId: TrackID(names[1]), muted: body.muted))))
      } catch {
        return .error(error.code == .wrongMicState ? 409 : 404, error)
      }
    }
  }

  /// How many of a room's users a list of rooms names.
  private static let shownUsers = 8

  private func summary(of room: Room) async -> API.RoomSummary {
    let counts = await room.counts
    return API.RoomSummary(
      name: room.name, createdAt: room.createdAt, participants: counts.participants, tracks: counts.tracks,
      users: await room.roster.prefix(Self.shownUsers).map(\.userId), viewers: counts.viewers)
  }
}

extension RoomDirectory {
  /// Answers 404002 where the first name is no room's.
  nonisolated func with(_ names: [String], _ body: (Room) async -> HTTPResponse) async -> HTTPResponse {
    guard let name = names.first, let room = await room(RoomName(name)) else {
      return .error(404, RoomError(.roomNotFound, "there is no room \"\(names.first?.prefix(64) ?? "")\""))
    }
    return await body(room)
  }

  /// As ``with(_:_:)``, for operations that change what is stored: an answer that is no error waits until it is.
  nonisolated func change(_ names: [String], _ body: (Room) async -> HTTPResponse) async -> HTTPResponse {
    let response = await with(names, body)
    if response.status < 400 { await store?.settled() }
    return response
  }
}
