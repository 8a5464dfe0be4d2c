import RoomHTTPServer
import RoomProtocol
import RoomToken
import RoomEngine
import RoomSFU
import RoomWebRTC

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): one participant or viewer over HTTP, without signalling.
///
/// `/whip/{room}` accepts publishers; `/whep/{room}/{user}` accepts viewers of one user, and `/whep/{room}` viewers of the
/// room's program. Anybody may view the program of a public room; otherwise a token is required. The user is the token's. A
/// session's own URL is unguessable, and still requires a token of the same user.
///
/// `/w` accepts encoders with a stream key, as bearer token or as `/w/{key}`.
struct WHIPAPI: Sendable {
  let entrance: Entrance
  let keys: StreamKeys
  let routing: any RequestRouting

  private static let sdp = "application/sdp"
  private static let fragment = "application/trickle-ice-sdpfrag"
  /// The WHEP extension for the choice of a layer (draft-ietf-wish-whep-00 §4.6.2).
  private static let layerRelation = "urn:ietf:params:whep:ext:core:layer"

  var endpoints: [Endpoint] {
    let ofRooms =
      entry("/whip/*", publish) + entry("/whep/*", view) + entry("/whep/*/*", view)
      + session("/whip/*/sessions/*", .publish, find) + session("/whep/*/sessions/*", .view, find)
      + layer("/whep/*/sessions/*/layer")
    let ofKeys =
      entry("/w", publishByKey) + keyed("/w/*") + session("/w/sessions/*", .publish, findByKey)
      + session("/w/*/sessions/*", .publish, findByKey)
    return ofRooms.map { scoped($0) { _, names in names.first.map { RoomName($0) } } }
      + ofKeys.map { endpoint in
        let isSession = endpoint.path.contains(.named("sessions"))
        return scoped(endpoint) { request, names in try? await key(of: request, isSession ? names.dropLast() : names[...]).room
        }
      }
  }

  /// Returns an endpoint whose requests find the node of their room.
  private func scoped(
    _ endpoint: Endpoint, _ room: @escaping @Sendable (HTTPRequest, [String]) async -> RoomName?
  ) -> Endpoint {
    // The answers to all others are the same at each node.
    guard ["POST", "PATCH", "DELETE"].contains(endpoint.method) || endpoint.path.contains(.named("sessions")),
      endpoint.method != "OPTIONS"
    else { return endpoint }
    var scoped = endpoint
    let opens = endpoint.method == "POST" && !endpoint.path.contains(.named("sessions"))
    scoped.scoping = .init(
      unavailable: { error in
        let refusal = SessionRefusal.unavailable(error)
        return Self.shared(.error(refusal.status, refusal.error, headers: refusal.headers))
      },
      scope: { request, names in
        guard names.allSatisfy(NameRule.allows), let room = await room(request, names) else { return .here }
        return .media(room, opens: opens)
      })
    return scoped
  }

  // MARK: The endpoints

  private typealias Handler = @Sendable (_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse

  /// Returns the endpoints that both protocols require at an entry URL.
  private func entry(_ path: String, _ post: @escaping Handler) -> [Endpoint] {
    let methods = "GET, HEAD, OPTIONS, POST"
    return [
      endpoint("POST", path, post),
      // The response is empty and no error (RFC 9725 §4.1).
      endpoint("GET", path) { _, _ in .noContent },
      endpoint("OPTIONS", path) { _, _ in Self.options(methods, [("Accept-Post", Self.sdp)]) },
    ]
  }

  /// Returns the endpoints of a URL that contains a stream key. It has no GET, because the origin serves streams at such paths.
  private func keyed(_ path: String) -> [Endpoint] {
    [
      endpoint("POST", path, publishByKey),
      endpoint("OPTIONS", path) { _, _ in Self.options("OPTIONS, POST", [("Accept-Post", Self.sdp)]) },
    ]
  }

  /// Returns the room of a session's URL, and the requesting user.
  private typealias Finder =
    @Sendable (_ request: HTTPRequest, _ names: [String], _ direction: SessionDirection) async throws(SessionRefusal) -> (
      Room, user: UserID
    )

  private func session(_ path: String, _ direction: SessionDirection, _ find: @escaping Finder) -> [Endpoint] {
    let methods = "DELETE, GET, HEAD, OPTIONS, PATCH"
    return [
      endpoint("PATCH", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names, direction)
        return try await patch(request, Self.session(names), of: user, in: room, direction)
      },
      endpoint("DELETE", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names, direction)
        try await room.sessions.finish(Self.session(names), of: user, direction)
        // Some clients accept only 200 as success.
        return HTTPResponse(status: 200)
      },
      endpoint("GET", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names, direction)
        try await room.sessions.find(Self.session(names), of: user, direction)
        return .noContent
      },
      endpoint("OPTIONS", path) { _, _ in Self.options(methods, [("Accept-Patch", Self.fragment)]) },
    ]
  }

  private static func session(_ names: [String]) -> SessionResourceID { SessionResourceID(names.last ?? "") }

  private func layer(_ path: String) -> [Endpoint] {
    [
      endpoint("GET", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names, .view)
        return .json(try await room.sessions.layers(of: SessionResourceID(names[1]), user))
      },
      endpoint("POST", path) { request, names async throws(SessionRefusal) in
        let (room, user) = try await find(request, names, .view)
        guard request.contentType == "application/json" else { throw .wrongType("application/json", header: "Accept-Post") }
        let choice: LayerChoice
        do throws(RoomError) { choice = try APIBody.read(LayerChoice.self, from: request) } catch {
          throw .badRequest(error.message)
        }
        try await room.sessions.setLayer(choice.encodingId, of: SessionResourceID(names[1]), user)
        return .noContent
      },
      endpoint("OPTIONS", path) { _, _ in Self.options("GET, HEAD, OPTIONS, POST", [("Accept-Post", "application/json")]) },
    ]
  }

  /// The body of `POST` of a session's layer.
  private struct LayerChoice: Decodable {
    /// The m-line of the picture. A session has one.
    var mediaId: String?
    /// Nil for the best layer that the network carries.
    var encodingId: String?
  }

  private func endpoint(_ method: String, _ path: String, _ handler: @escaping Handler) -> Endpoint {
    Endpoint(
      method, path, access: .open,
      action: .answer { request, names in
        do throws(SessionRefusal) {
          guard names.allSatisfy(NameRule.allows) else { throw .notAName }
          return Self.shared(try await handler(request, names))
        } catch {
          return Self.shared(.error(error.status, error.error, headers: error.headers))
        }
      })
  }

  /// Lets players in pages of any origin read the answer; the token authorises them.
  private static func shared(_ response: HTTPResponse) -> HTTPResponse {
    var shared = response
    shared.headers += [
      ("Access-Control-Allow-Origin", "*"),
      ("Access-Control-Expose-Headers", "Location, ETag, Link, Accept-Patch, Accept-Post, Retry-After, WWW-Authenticate"),
    ]
    return shared
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

  /// Who begins a session.
  private struct Admission: Sendable {
    var token: RoomToken
    /// What it shows of itself.
    var profile: ParticipantProfile?
  }

  /// Begins a session in a room; `annex` is the server that has its media.
  private typealias Offer = (_ room: Room, Admission, _ sdp: String, _ annex: MediaAnnexID?) async -> SessionOffer

  @Sendable private func publish(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse {
    let name = RoomName(names[0])
    return try await begin(request, room: name) { () throws(SessionRefusal) in
      Admission(token: try await token(of: request, room: name, to: .publish))
    } offer: { room, admission, offer, annex in
      await room.sessions.publish(admission.token, offer: offer, annex: annex)
    }
  }

  @Sendable private func publishByKey(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse {
    try await begin(request, room: nil) { () throws(SessionRefusal) in
      let key = try await key(of: request, names)
      return Admission(token: key.token, profile: key.profile)
    } offer: { room, admission, offer, annex in
      await room.sessions.publish(admission.token, offer: offer, profile: admission.profile, annex: annex)
    }
  }

  @Sendable private func view(_ request: HTTPRequest, _ names: [String]) async throws(SessionRefusal) -> HTTPResponse {
    let name = RoomName(names[0])
    let source: Viewer.Source = names.count < 2 ? .stage : .user(UserID(names[1]))
    return try await begin(request, room: name) { () throws(SessionRefusal) in
      // The public of a public room sees its program, and no user of its choice.
      Admission(token: try await token(of: request, room: name, to: source == .stage ? .watch : .view))
    } offer: { room, admission, offer, annex in
      await room.sessions.view(admission.token, source, offer: offer, annex: annex)
    }
  }

  /// - Parameter name: the room that the request names.
  private func begin(
    _ request: HTTPRequest, room name: RoomName?, _ admit: () async throws(SessionRefusal) -> Admission,
    offer: Offer
  ) async throws(SessionRefusal) -> HTTPResponse {
    do throws(SessionRefusal) {
      let response = try await admitted(request, admit, offer)
      entrance.admitted()
      return response
    } catch {
      entrance.refused(error.error, room: name)
      throw error
    }
  }

  private func admitted(
    _ request: HTTPRequest, _ admit: () async throws(SessionRefusal) -> Admission,
    _ offer: Offer
  ) async throws(SessionRefusal) -> HTTPResponse {
    do throws(Entrance.Refusal) { try entrance.admit(request.client) } catch { throw .tooManyJoins }
    let admission = try await admit()
    let token = admission.token
    let sdp = try text(of: request, type: Self.sdp, acceptedBy: "Accept-Post")
    let offered: SessionOffer
    do throws(RoomError) {
      let annex = try routing.place(of: request, in: token.room).annex
      offered = try await entrance.enter(token, creates: request.bearerToken != nil) { room in
        let offered = await offer(room, admission, sdp, annex)
        if case .roomIsClosed = offered { return nil }
        return offered
      }
    } catch {
      throw error.code == .noSuchRoom
        ? .notFound(error) : .unavailable(error, at: request.uri)
    }
    switch offered {
    case .answered(let answer):
      return created(answer, at: request, for: token.user)
    case .refused(let refusal):
      entrance.log.info(
        "offer refused",
        metadata: ["room": "\(token.room)", "user": "\(token.user)", "reason": "\(refusal.error.message)"])
      throw refusal
    case .roomIsClosed: throw .unavailable(RoomError(.joinFailed, "the room is closing; try again"))
    }
  }

  private func created(_ answer: SessionAnswer, at request: HTTPRequest, for user: UserID) -> HTTPResponse {
    // The room's own path, with the percent-encoding of the request.
    let segments = request.target.split(separator: "/").prefix(2)
    let location = "/\(segments.joined(separator: "/"))/sessions/\(answer.resource.id)"
    let layer = segments.first == "whep" ? [("Link", "<\(location)/layer>; rel=\"\(Self.layerRelation)\"")] : []
    return HTTPResponse(
      status: 201,
      headers: [
        ("Content-Type", Self.sdp), ("Location", location), ("ETag", answer.resource.entityTag),
        ("Accept-Patch", Self.fragment),
      ] + layer + entrance.configuration.iceServers.flatMap { $0.serverEntry(for: user).links.map { ("Link", $0) } },
      body: [UInt8](answer.sdp.utf8))
  }

  private func patch(
    _ request: HTTPRequest, _ session: SessionResourceID, of user: UserID, in room: Room, _ direction: SessionDirection
  ) async throws(SessionRefusal) -> HTTPResponse {
    let body = try text(of: request, type: Self.fragment, acceptedBy: "Accept-Patch")
    let fragment: ICEFragment
    do { fragment = try ICEFragment(parsing: body) } catch { throw .badRequest("\(error)") }
    let (resource, restarted) = try await room.sessions.patch(
      session, of: user, direction, fragment, match: request.header("if-match"))
    guard let restarted else { return .noContent }
    return HTTPResponse(
      status: 200, headers: [("Content-Type", Self.fragment), ("ETag", resource.entityTag)],
      body: [UInt8](restarted.text.utf8))
  }

  // MARK: What every request needs

  @Sendable private func find(
    _ request: HTTPRequest, _ names: [String], _ direction: SessionDirection
  ) async throws(SessionRefusal) -> (Room, user: UserID) {
    let name = RoomName(names[0])
    let isVisitor = direction == .view && request.bearerToken == nil
    let user =
      isVisitor
      ? entrance.visitor(of: name, from: request.client).user : try await token(of: request, room: name, to: .session).user
    guard let room = await entrance.directory.room(name) else { throw .noSuchSession }
    return (room, user)
  }

  @Sendable private func findByKey(
    _ request: HTTPRequest, _ names: [String], _ direction: SessionDirection
  ) async throws(SessionRefusal) -> (Room, user: UserID) {
    let key = try await key(of: request, names.dropLast())
    guard let room = await entrance.directory.room(key.room) else { throw .noSuchSession }
    return (room, key.user)
  }

  /// Returns the stream key of a request.
  /// - Parameter names: its part of the path; empty for a bearer token.
  private func key(of request: HTTPRequest, _ names: some Collection<String>) async throws(SessionRefusal) -> StreamKey {
    guard let text = names.first ?? request.bearerToken else {
      throw SessionRefusal(
        .noToken(HTTPError.unauthorised("publish to /w/{stream key}, or send Authorization: Bearer with the stream key")))
    }
    do throws(RoomError) { return try await keys.key(text, for: .whip) } catch {
      throw error.code == .tokenInvalid ? SessionRefusal(.token(error)) : .unavailable(error)
    }
  }

  private func token(
    of request: HTTPRequest, room: RoomName, to purpose: Entrance.Purpose
  ) async throws(SessionRefusal) -> RoomToken {
    do throws(Entrance.Refusal) {
      if case .watch = purpose {
        return try await entrance.viewer(of: room, token: request.bearerToken, from: request.client)
      }
      guard let text = request.bearerToken else {
        throw .noToken(HTTPError.unauthorised("send Authorization: Bearer with a room token"))
      }
      return try entrance.authorise(text, for: room, to: purpose)
    } catch { throw SessionRefusal(error) }
  }

  private func text(of request: HTTPRequest, type: String, acceptedBy header: String) throws(SessionRefusal) -> String {
    guard request.contentType == type else { throw .wrongType(type, header: header) }
    guard let text = String(validating: request.body, as: UTF8.self), !text.isEmpty else {
      throw .badRequest("the body is empty, or not UTF-8")
    }
    return text
  }
}
