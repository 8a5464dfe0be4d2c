import RoomHTTPServer
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

extension LiveKitToken {
  /// What its participant shows of itself at first.
  /// - Parameter request: what the client adds, if the token permits that.
  func profile(_ request: LiveKit.JoinRequest?) -> ParticipantProfile {
    var profile = ParticipantProfile(name: name, metadata: metadata, attributes: attributes)
    guard let request, grants.canUpdateOwnMetadata else { return profile }
    profile.merge(name: "", metadata: request.metadata, attributes: request.participantAttributes)
    return profile
  }
}

/// The paths at which LiveKit's client SDKs join: `/rtc` for the WebSocket of a client with a peer connection for each direction,
/// `/rtc/v1` for one with a single connection, and below each `/validate`, which says why that was refused.
struct LiveKitDoor: RoomDoor {
  let entrance: Entrance
  let calls: LiveKitCalls
  let agents: any RoomAgents
  let routing: any RequestRouting

  var endpoints: [Endpoint] {
    Self.paths.flatMap { path in
      [
        Endpoint("GET", path, access: .open, action: .signalling { refusal(of: $0) }),
        Endpoint(
          "GET", path + "/validate", access: .open,
          action: .answer { request, _ in refusal(of: request) ?? .text("success", type: Self.text) }),
      ]
    }
  }

  private static let paths = ["/rtc", LiveKitClient.singleConnectionPath]

  private static let text = "text/plain; charset=utf-8"

  var frames: SocketFrames { SocketFrames(isBinary: true) }

  func serves(_ request: HTTPRequest) -> Bool { Self.paths.contains(request.target) }

  func room(of request: HTTPRequest) -> RoomName? {
    guard case .success(let token) = authorised(request) else { return nil }
    return token.grants.room?.room
  }

  // Clients look for this sentence.
  var missingRoom: HTTPResponse {
    HTTPResponse(status: 404, headers: [("Content-Type", Self.text)], body: Array("requested room does not exist".utf8))
  }

  /// Serves a WebSocket until it is closed.
  // Inlined, its frame of 16 kB would be in that of every connection, of this server's own signalling too.
  @inline(never)
  func serve(_ socket: SignalSocket, _ request: HTTPRequest) async {
    // The token was valid a moment ago.
    guard case .success(let token) = authorised(request), let client = try? LiveKitClient.read(request) else {
      return socket.close(.notJoined)
    }
    await LiveKitConversation(
      entrance: entrance, socket: socket, address: request.client, token: token, client: client, calls: calls, agents: agents,
      place: room(of: request).map { routing.place(of: request, in: $0) } ?? .here
    ).run()
  }

  /// Returns the answer to a client that may not join; nil for one that may try.
  private func refusal(of request: HTTPRequest) -> HTTPResponse? {
    let refused: (status: Int, reason: String)
    do throws(Entrance.Refusal) {
      try entrance.admit(request.client)
      switch authorised(request) {
      case .failure(let error): refused = (401, error.message)
      case .success(let token):
        let client: LiveKitClient
        do throws(MessageError) { client = try .read(request) } catch {
          refused = (400, "join_request: \(error)")
          break
        }
        guard token.profile(client.joinRequest).isValid else {
          refused = (400, "name, metadata and attributes have \(ParticipantProfile.maximumBytes) bytes at most")
          break
        }
        guard let room = token.grants.room?.room, entrance.mayOpen(room) else {
          // Clients look for this sentence.
          refused = (404, "requested room does not exist")
          break
        }
        return nil
      }
    } catch { refused = (429, error.error.message) }
    return HTTPResponse(
      status: refused.status, headers: [("Content-Type", Self.text)], body: Array(refused.reason.utf8))
  }

  /// Verifies the token of a request: the parameter `access_token`, or `Authorization: Bearer`.
  func authorised(_ request: HTTPRequest) -> Result<LiveKitToken, RoomError> {
    guard let text = request.query("access_token") ?? request.bearerToken else {
      return .failure(RoomError(.tokenInvalid, "no permissions to access the room: the request has no token"))
    }
    do throws(TokenError) {
      let token = try entrance.keys.verifyLiveKit(text)
      let own = try token.roomToken
      guard token.identity?.text != LiveKitPackets.room else {
        return .failure(RoomError(.tokenInvalid, "the identity \(LiveKitPackets.room) is the room's own"))
      }
      guard !entrance.isKicked(own) else {
        return .failure(RoomError(.tokenInvalid, "the participant was removed and this token revoked; get a new token"))
      }
      return .success(token)
    } catch { return .failure(error.roomError) }
  }
}
