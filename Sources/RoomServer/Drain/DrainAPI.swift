import RoomHTTPServer
import RoomProtocol

/// Draining the server over REST.
struct DrainAPI: Sendable {
  let drain: Drain
  let directory: RoomDirectory
  /// Whether the server may open rooms: in a cluster, once it is a member.
  let isReady: @Sendable () -> Bool

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/readyz", access: .open, action: .answer { _, _ in await ready() }),
      Endpoint("GET", "/v1/server/drain", access: .api, action: .answer { _, _ in await show() }),
      Endpoint(
        "POST", "/v1/server/drain", access: .api, takesBody: true, action: .answer { request, _ in await begin(request) }),
      Endpoint(
        "DELETE", "/v1/server/drain", access: .api,
        action: .answer { _, _ in
          await drain.cancel()
          return .noContent
        }),
    ]
  }

  private struct Ready: Codable, Sendable { var status: String }

  private struct Parameters: Codable, Sendable {
    var seconds: Int?
    var redirect: String?
  }

  private struct State: Codable, Sendable {
    var draining: Bool
    var startedAt: Int64?
    var deadline: Int64?
    var redirect: String?
    var rooms: Int
    var participants: Int
    var viewers: Int
    var streams: Int
    /// Rooms that have moved to other nodes of the cluster.
    var moved: Int
  }

  /// Answers whether the server accepts more clients.
  private func ready() async -> HTTPResponse {
    guard await directory.drain == nil else { return .json(Ready(status: "draining"), status: 503) }
    return isReady() ? .json(Ready(status: "ready")) : .json(Ready(status: "starting"), status: 503)
  }

  private func show(status: Int = 200) async -> HTTPResponse {
    let (order, load) = (await directory.drain, await drain.load())
    return .json(
      State(
        draining: order != nil, startedAt: order?.startedAt, deadline: order?.deadline, redirect: order?.redirect,
        rooms: load.rooms, participants: load.participants, viewers: load.viewers, streams: load.streams,
        moved: order == nil ? 0 : await drain.moved), status: status)
  }

  private func begin(_ request: HTTPRequest) async -> HTTPResponse {
    let parameters: Parameters
    do throws(RoomError) { parameters = try APIBody.read(Parameters.self, from: request) } catch {
      return .error(400, error)
    }
    let seconds = parameters.seconds ?? 600
    guard (0...86_400).contains(seconds) else { return .error(400, HTTPError.badRequest("seconds: 0 to 86400")) }
    if let redirect = parameters.redirect, let validationError = DrainOrder.validationError(redirect: redirect) {
      return .error(400, HTTPError.badRequest("redirect: \(validationError)"))
    }
    await drain.begin(for: .seconds(seconds), redirect: parameters.redirect)
    return await show(status: 202)
  }
}
