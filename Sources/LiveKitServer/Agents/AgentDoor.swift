import RoomHTTPServer
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The path at which workers of agents connect: `/agent`, a WebSocket with binary messages. Its token has the grant `agent`.
struct AgentDoor: SocketDoor {
  let entrance: Entrance
  let dispatches: AgentDispatches
  /// Registers a worker at the other nodes as well; nil without other nodes.
  let mirrors: (any SocketMirroring)?

  var endpoints: [Endpoint] {
    [Endpoint("GET", "/agent", access: .open, action: .signalling { refusal(of: $0) })]
  }

  var frames: SocketFrames { SocketFrames(isBinary: true) }

  func serves(_ request: HTTPRequest) -> Bool { request.target == "/agent" }

  /// Serves a WebSocket until it is closed.
  // As `LiveKitDoor.serve`.
  @inline(never)
  func serve(_ socket: SignalSocket, _ request: HTTPRequest) async {
    // The token was valid a moment ago.
    guard case .success(let token) = authorised(request) else { return socket.close(.notJoined) }
    var mirror: AgentConversation.Mirror?
    // A worker that another node passes on is known at all nodes.
    if !request.isPassedOn, let mirrors {
      mirror = { greeting, receive in mirrors.mirror(request, greeting: greeting, receive: receive) }
    }
    await AgentConversation(
      entrance: entrance, dispatches: dispatches, socket: socket, key: token.key, mirror: mirror
    ).run()
  }

  /// Returns the answer to a worker that may not register; nil for one that may try.
  private func refusal(of request: HTTPRequest) -> HTTPResponse? {
    let refused: (status: Int, reason: String)
    do throws(Entrance.Refusal) {
      try entrance.admit(request.client)
      guard case .failure(let error) = authorised(request) else { return nil }
      refused = (401, error.message)
    } catch { refused = (429, error.error.message) }
    return HTTPResponse(
      status: refused.status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(refused.reason.utf8))
  }

  private func authorised(_ request: HTTPRequest) -> Result<LiveKitToken, RoomError> {
    guard let text = request.query("access_token") ?? request.bearerToken else {
      return .failure(RoomError(.tokenInvalid, "send Authorization: Bearer with a token"))
    }
    do throws(TokenError) {
      let token = try entrance.keys.verifyLiveKit(text)
      guard token.grants.agent else {
        return .failure(RoomError(.tokenInvalid, "the token has no grant agent"))
      }
      // An agent that was removed registers no worker with its token.
      if let own = try? token.roomToken, entrance.isKicked(own) {
        return .failure(RoomError(.tokenInvalid, "the participant was removed and this token revoked; get a new token"))
      }
      return .success(token)
    } catch { return .failure(error.roomError) }
  }
}
