import RoomHTTPServer
import RoomLiveKitProtocol
import RoomServer
import RoomToken

/// LiveKit's server API: `POST /twirp/livekit.RoomService/CreateRoom` and the like, as protobuf or JSON, with a LiveKit token that
/// permits the call.
struct LiveKitAPI: Sendable {
  let entrance: Entrance
  private let services: [String: TwirpService]

  /// Services of LiveKit's that this server does not have.
  private static let missingServices: Set = ["livekit.SIP", "livekit.Connector"]

  init(entrance: Entrance, services: [TwirpService]) {
    self.entrance = entrance
    self.services = Dictionary(services.map { ($0.name, $0) }) { first, _ in first }
  }

  var endpoints: [Endpoint] {
    // Twirp answers every other path and method by itself.
    ["POST", "GET", "PUT", "PATCH", "DELETE"].map { method in
      var endpoint = Endpoint(
        method, "/twirp/*/*", access: .open, action: .answer { request, names in await answer(request, names) })
      endpoint.scoping = .init(
        unavailable: { TwirpError(.unavailable, $0.message).response }, scope: { await scope($0, $1) })
      return endpoint
    }
  }

  /// What the lists of all nodes may have together.
  private static let listLimits = MessageLimits(bytes: 16 << 20, elements: 1 << 20)

  /// Returns the nodes of a call.
  private func scope(_ request: HTTPRequest, _ names: [String]) async -> RequestScope {
    // This node answers a call that is refused.
    guard let (form, call) = try? call(request, names) else { return .here }
    return switch (call.permission, call.room) {
    case (.listRooms, _): .all { Self.rooms(form, [$0] + $1) }
    case (.manageIngress, nil) where names.last == "ListIngress": .all { Self.ingresses(form, $0, $1) }
    case (.createRooms, let room?) where names.last == "CreateRoom": .newRoom(room.room)
    case (_, let room?): .room(room.room)
    case (_, nil): if let room = await call.locate?() { .room(room) } else { .here }
    }
  }

  private static func rooms(_ form: TwirpForm, _ answers: [HTTPResponse]) -> HTTPResponse {
    let lists = answers.compactMap {
      try? form.read(LiveKit.ListRoomsResponse.self, from: $0.body, limits: listLimits)
    }
    return form.response(LiveKit.ListRoomsResponse { $0.rooms = lists.flatMap(\.rooms).sorted { $0.name < $1.name } })
  }

  /// Merges the lists of ingresses, which all nodes have, each with its state at the node of its room.
  private static func ingresses(_ form: TwirpForm, _ own: HTTPResponse, _ others: [HTTPResponse]) -> HTTPResponse {
    guard var list = try? form.read(LiveKit.ListIngressResponse.self, from: own.body, limits: listLimits) else { return own }
    var states: [String: LiveKit.IngressState] = [:]
    for answer in others {
      let items = (try? form.read(LiveKit.ListIngressResponse.self, from: answer.body, limits: listLimits))?.items ?? []
      for item in items { if let state = item.state, state.status != .inactive { states[item.ingressID] = state } }
    }
    for index in list.items.indices { list.items[index].state = states[list.items[index].ingressID] ?? list.items[index].state }
    return form.response(list)
  }

  private func answer(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    do throws(TwirpError) {
      let (form, call) = try call(request, names)
      return form.response(try await call.perform())
    } catch { return error.response }
  }

  /// Reads a request, and checks its token.
  func call(_ request: HTTPRequest, _ names: [String]) throws(TwirpError) -> (TwirpForm, TwirpMethod.Call) {
    let route = ["twirp_invalid_route": "\(request.method) \(request.target)"]
    guard names.count == 2, request.method == "POST" else {
      throw TwirpError(.badRoute, "only POST is allowed", meta: route)
    }
    let service = services[names[0]]
    let isMissing = service?.missing.contains(names[1]) ?? Self.missingServices.contains(names[0])
    let method = service?.methods[names[1]]
    guard method != nil || isMissing else { throw TwirpError(.badRoute, "there is no such method", meta: route) }
    guard let form = TwirpForm(request) else {
      throw TwirpError(.badRoute, "the Content-Type is application/protobuf or application/json", meta: route)
    }
    let token = try token(of: request)
    guard let method else { throw TwirpError(.unimplemented, "this server does not have \(names[1].prefix(64))") }
    let call = try method.read(form, request.body)
    guard call.permission.isGiven(by: token.grants, call.room), call.destination.isPermitted(by: token.grants) else {
      throw TwirpError(.permissionDenied, "the token does not permit \(method.name)")
    }
    return (form, call)
  }

  private func token(of request: HTTPRequest) throws(TwirpError) -> LiveKitToken {
    guard let text = request.bearerToken else {
      throw TwirpError(.unauthenticated, "send Authorization: Bearer with a token")
    }
    let token: LiveKitToken
    do throws(TokenError) { token = try entrance.keys.verifyLiveKit(text) } catch {
      throw TwirpError(.unauthenticated, error.description)
    }
    // A participant that was removed manages nothing with its token.
    if let own = try? token.roomToken, entrance.isKicked(own) {
      throw TwirpError(.unauthenticated, "the participant was removed and this token revoked")
    }
    return token
  }
}
