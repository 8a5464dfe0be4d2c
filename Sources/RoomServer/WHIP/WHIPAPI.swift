import RoomProtocol
import RoomToken
import WebRTC

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): one participant or viewer over HTTP, without signalling.
///
/// `/whip/{room}` takes publishers; `/whep/{room}/{user}` viewers of one user, `/whep/{room}` of whoever speaks. The user is the
/// token's. A session's own URL is unguessable, and asks for a token of the same user all the same.
struct WHIPAPI: Sendable {
  let services: SignalSession.Services

  private static let sdp = "application/sdp"
  private static let fragment = "application/trickle-ice-sdpfrag"

  var endpoints: [Endpoint] {
    entry("/whip/*", publish) + entry("/whep/*", view) + entry("/whep/*/*", view)
      + session("/whip/*/sessions/*", .publish) + session("/whep/*/sessions/*", .view)
  }

  // MARK: The endpoints

  private typealias Handler = @Sendable (_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse

  /// What both protocols want of an endpoint's URL.
  private func entry(_ path: String, _ post: @escaping Handler) -> [Endpoint] {
    let methods = "GET, HEAD, OPTIONS, POST"
    return [
      endpoint("POST", path, post),
      // There is nothing to see, and that is no error (RFC 9725 §4.1).
      endpoint("GET", path) { _, _ in .noContent },
      endpoint("OPTIONS", path) { _, _ in Self.options(methods, [("Accept-Post", Self.sdp)]) },
    ]
  }

  private func session(_ path: String, _ direction: SessionDirection) -> [Endpoint] {
    let methods = "DELETE, GET, HEAD, OPTIONS, PATCH"
    return [
      endpoint("PATCH", path) { request, names async throws(SessionRefusal) in try await patch(request, names, direction) },
      endpoint("DELETE", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names)
        try await room.finish(SessionResourceID(names[1]), of: user, direction)
        // Some clients count nothing but 200 as success.
        return HTTPResponse(status: 200)
      },
      endpoint("GET", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names)
        try await room.find(SessionResourceID(names[1]), of: user, direction)
        return .noContent
      },
      endpoint("OPTIONS", path) { _, _ in Self.options(methods, [("Accept-Patch", Self.fragment)]) },
    ]
  }

  private func endpoint(_ method: String, _ path: String, _ handler: @escaping Handler) -> Endpoint {
    Endpoint(
      method, path, access: .open,
      action: .answer { request, names in
        var response: HTTPResponse
        do throws(SessionRefusal) {
          guard names.allSatisfy(NameRule.allows) else { throw .notAName }
          response = try await handler(request, names)
        } catch {
          response = error.response
        }
        // Players run in pages of any origin; the token is what lets them in.
        response.headers += [
          ("Access-Control-Allow-Origin", "*"),
          ("Access-Control-Expose-Headers", "Location, ETag, Link, Accept-Patch, Accept-Post, Retry-After, WWW-Authenticate"),
        ]
        return response
      })
  }

  private static func options(_ methods: String, _ headers: [(name: String, value: String)]) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: [
        ("Allow", methods), ("Access-Control-Allow-Methods", methods),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match"), ("Access-Control-Max-Age", "86400"),
      ] + headers)
  }

  // MARK: A session's life

  private func publish(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse {
    try await begin(request, room: RoomName(names[0]), needs: .publish) { room, token, offer in
      await room.ingest(token, offer: offer)
    }
  }

  private func view(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse {
    let source: Viewer.Source = names.count < 2 ? .stage : .user(UserID(names[1]))
    return try await begin(request, room: RoomName(names[0]), needs: .subscribe) { room, token, offer in
      await room.view(token, source, offer: offer)
    }
  }

  private func begin(
    _ request: HTTPRequest, room name: RoomName, needs grant: Grants,
    _ offer: (Room, RoomToken, String) async -> SessionOffer
  ) async throws(SessionRefusal) -> HTTPResponse {
    let token = try token(of: request, room: name)
    do throws(RoomError) { try services.checkAlive(token) } catch { throw .unauthorised(error) }
    guard token.grants.contains(grant) else {
      throw .forbidden("the token has no grant to \(grant == .publish ? "publish" : "subscribe")")
    }
    guard grant != .publish || !token.grants.contains(.hidden) else {
      throw .forbidden("a hidden participant can't publish: its tracks would show it")
    }
    let sdp = try text(of: request, type: Self.sdp, acceptedBy: "Accept-Post")
    guard services.letsIn(request.client) else { throw .tooManyJoins }
    // A room may close between being found and being joined; then there is a new one, or none.
    for _ in 0..<3 {
      let room: Room
      do throws(RoomError) {
        room = try await services.directory.room(joinedWith: token)
      } catch {
        count(error.code)
        throw error.code == .noSuchRoom
          ? .notFound(error) : .unavailable(error, at: request.target + (request.query.isEmpty ? "" : "?\(request.query)"))
      }
      switch await offer(room, token, sdp) {
      case .answered(let answer):
        count(.ok)
        return created(answer, at: request, for: token.user)
      case .refused(let refusal):
        count(refusal.error.code)
        services.log.info(
          "offer refused",
          metadata: ["room": "\(name)", "user": "\(token.user)", "reason": "\(refusal.error.message)"])
        throw refusal
      case .roomIsClosed: await services.directory.forget(room)
      }
    }
    throw .unavailable(RoomError(.joinFailed, "the room is closing; try again"))
  }

  private func count(_ code: ErrorCode) { services.counters.count { $0.joins[code.rawValue, default: 0] += 1 } }

  private func created(_ answer: SessionAnswer, at request: HTTPRequest, for user: UserID) -> HTTPResponse {
    // Of the room's own path, whatever it was percent-encoded as.
    let segments = request.target.split(separator: "/").prefix(2)
    return HTTPResponse(
      status: 201,
      headers: [
        ("Content-Type", Self.sdp), ("Location", "/\(segments.joined(separator: "/"))/sessions/\(answer.resource.id)"),
        ("ETag", answer.resource.entityTag), ("Accept-Patch", Self.fragment),
      ] + services.configuration.iceServers.flatMap { $0.told(to: user).links.map { ("Link", $0) } },
      body: [UInt8](answer.sdp.utf8))
  }

  private func patch(
    _ request: HTTPRequest, _ names: [String], _ direction: SessionDirection
  ) async throws(SessionRefusal) -> HTTPResponse {
    let (room, user) = try await find(request, names)
    let body = try text(of: request, type: Self.fragment, acceptedBy: "Accept-Patch")
    let fragment: ICEFragment
    do { fragment = try ICEFragment(parsing: body) } catch { throw .badRequest("\(error)") }
    let (resource, restarted) = try await room.patch(
      SessionResourceID(names[1]), of: user, direction, fragment, match: request.header("if-match"))
    guard let restarted else { return .noContent }
    return HTTPResponse(
      status: 200, headers: [("Content-Type", Self.fragment), ("ETag", resource.entityTag)],
      body: [UInt8](restarted.text.utf8))
  }

  // MARK: What every request needs

  /// The room of a session's URL, and who asks.
  private func find(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> (Room, user: UserID) {
    let name = RoomName(names[0])
    let user = try token(of: request, room: name).user
    guard let room = await services.directory.room(name) else { throw .noSuchSession }
    return (room, user)
  }

  private func token(of request: HTTPRequest, room: RoomName) throws(SessionRefusal) -> RoomToken {
    guard let text = request.bearerToken else {
      throw .unauthorised(HTTPError.unauthorised("send Authorization: Bearer with a room token"), isMissing: true)
    }
    let token: RoomToken
    do throws(RoomError) { token = try services.verified(text) } catch { throw .unauthorised(error) }
    guard token.room == room else { throw .forbidden("the token is for another room") }
    return token
  }

  private func text(of request: HTTPRequest, type: String, acceptedBy header: String) throws(SessionRefusal) -> String {
    guard request.contentType == type else { throw .wrongType(type, header: header) }
    guard let text = String(validating: request.body, as: UTF8.self), !text.isEmpty else {
      throw .badRequest("the body is empty, or not UTF-8")
    }
    return text
  }
}
