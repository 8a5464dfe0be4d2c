import RoomEngine
import RoomHTTPServer
import RoomProtocol

/// Players over REST: files and URLs that a room plays.
struct PlayersAPI: Sendable {
  let directory: RoomDirectory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/players", access: .api, action: .answer { _, names in await list(names) }),
      Endpoint(
        "POST", "/v1/rooms/*/players", access: .api, takesBody: true,
        action: .answer { request, names in await start(request, names) }),
      Endpoint(
        "PATCH", "/v1/rooms/*/players/*", access: .api, takesBody: true,
        action: .answer { request, names in await change(request, names) }),
      Endpoint("DELETE", "/v1/rooms/*/players/*", access: .api, action: .answer { _, names in await stop(names) }),
    ]
  }

  private struct List: Codable, Sendable { var players: [PlayerInfo] }

  /// What to change; see `PlayerChange`.
  private struct Change: Codable, Sendable {
    var paused: Bool?
    var position: Double?
    var volume: Double?
    var loop: Bool?
  }

  private func list(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(List(players: await $0.read(\.playerList))) }
  }

  private func start(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: PlayerParams
    do throws(RoomError) { body = try APIBody.read(PlayerParams.self, from: request) } catch { return .error(400, error) }
    return await call(.start(body), names, status: 201)
  }

  private func change(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: Change
    do throws(RoomError) { body = try APIBody.read(Change.self, from: request) } catch { return .error(400, error) }
    let change = PlayerChange(
      userId: UserID(names[1]), paused: body.paused, position: body.position, volume: body.volume, loop: body.loop)
    return await call(.change(change), names, status: 200)
  }

  private func stop(_ names: [String]) async -> HTTPResponse {
    await call(.stop(UserParams(userId: UserID(names[1]))), names, status: 204)
  }

  private func call(_ call: PlayerCall, _ names: [String], status: Int) async -> HTTPResponse {
    await directory.change(names) { room in
      do throws(RoomError) {
        let result = try await room.call(.players(call))
        return status == 204 ? .noContent : .json(result, status: status)
      } catch {
        let statuses: [ErrorCode: Int] = [.cdnParameters: 400, .notInRoom: 404]
        return .error(statuses[error.code] ?? 409, error)
      }
    }
  }
}
