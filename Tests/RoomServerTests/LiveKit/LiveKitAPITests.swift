import Foundation
import RoomLiveKitProtocol
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("LiveKit's server API")
struct LiveKitAPITests {
  private struct Failure: Decodable {
    var code: String
    var msg: String
    var meta: [String: String]?
  }

  private static let service = "/twirp/livekit.RoomService/"
  /// What a token needs for each method.
  private static let methods: [(name: String, needs: String)] = [
    ("CreateRoom", "create"), ("DeleteRoom", "create"), ("ListRooms", "list"), ("ListParticipants", "admin"),
    ("GetParticipant", "admin"), ("RemoveParticipant", "admin"), ("MutePublishedTrack", "admin"),
    ("UpdateParticipant", "admin"), ("UpdateSubscriptions", "admin"), ("UpdateRoomMetadata", "admin"),
    ("ForwardParticipant", "destination"), ("MoveParticipant", "destination"),
    ("Egress/StartRoomCompositeEgress", "record"), ("Egress/StartParticipantEgress", "record"),
    ("Egress/StartTrackCompositeEgress", "record"), ("Egress/StartTrackEgress", "record"), ("Egress/StartEgress", "record"),
    ("Egress/UpdateLayout", "record"), ("Egress/UpdateStream", "record"), ("Egress/ListEgress", "record"),
    ("Egress/StopEgress", "record"), ("Ingress/CreateIngress", "ingress"), ("Ingress/UpdateIngress", "ingress"),
    ("Ingress/ListIngress", "ingress"), ("Ingress/DeleteIngress", "ingress"),
    ("SendData", "admin"), ("PerformRpc", "admin"),
    ("AgentDispatchService/CreateDispatch", "admin"), ("AgentDispatchService/DeleteDispatch", "admin"),
    ("AgentDispatchService/ListDispatch", "admin"),
  ]

  private func token(_ server: TestServer, _ grants: (inout VideoGrants) -> Void) throws -> String {
    var token = LiveKitToken(key: TestServer.key, expires: Date(timeIntervalSinceNow: 600))
    grants(&token.grants)
    return try server.keys.sign(token)
  }

  /// A token that permits everything in one room.
  private func admin(_ server: TestServer, of room: String = "a room") throws -> String {
    try token(server) {
      ($0.roomCreate, $0.roomList, $0.roomAdmin, $0.room) = (true, true, true, ForeignName(room))
    }
  }

  private func post(
    _ server: TestServer, _ path: String, _ token: String?, type: String? = "application/json", method: String = "POST",
    _ body: [UInt8]
  ) async throws -> TestResponse {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let type { head += "Content-Type: \(type)\r\n" }
    let wire = try await Wire.connect(port: server.server.port)
    defer { wire.close() }
    wire.send(Array((head + "\r\n").utf8) + body)
    return try await wire.response()
  }

  /// Calls a method with JSON, as LiveKit's Node SDK does.
  private func json(_ server: TestServer, _ method: String, _ token: String?, _ body: String) async throws -> TestResponse {
    let path = method.contains("/") ? "/twirp/livekit." + method : Self.service + method
    return try await post(server, path, token, type: "application/json;charset=UTF-8", Array(body.utf8))
  }

  /// Calls a method with protobuf, as LiveKit's other SDKs do.
  private func call<Answer: Message>(
    _ server: TestServer, _ method: String, _ request: some Message, as _: Answer.Type = Answer.self
  ) async throws -> Answer {
    let response = try await post(
      server, Self.service + method, try admin(server), type: "application/protobuf", request.protobuf)
    #expect(response.status == 200 && response.headers["content-type"] == "application/protobuf", "\(method): \(response.text)")
    return try Answer(protobuf: response.body)
  }

  private func expect(
    _ response: TestResponse, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let failure = try? response.decoded(Failure.self)
    #expect(
      response.status == status && failure?.code == code && failure?.msg.isEmpty == false, "\(response.text)",
      sourceLocation: sourceLocation)
    // LiveKit's Node SDK compares the whole value.
    #expect(response.headers["content-type"] == "application/json", sourceLocation: sourceLocation)
  }

  private static func isKicked(_ client: SignalClient) async throws {
    _ = try await client.event("the kick") { if case .ended(let data) = $0, data.reason == .kickedOut { true } else { nil } }
  }

  @Test("what is no call is refused in Twirp's form") func errors() async throws {
    try await TestServer.with { server in
      let token = try admin(server)
      let list = Self.service + "ListRooms"
      for path in [Self.service + "Dance", "/twirp/livekit.Other/ListRooms", "/twirp/RoomService/ListRooms"] {
        let response = try await post(server, path, token, Array("{}".utf8))
        expect(response, 404, "bad_route")
        #expect(try response.decoded(Failure.self).meta == ["twirp_invalid_route": "POST \(path)"])
      }
      expect(try await post(server, list, token, method: "GET", []), 404, "bad_route")
      for type in ["text/plain", nil] {
        expect(try await post(server, list, token, type: type, Array("{}".utf8)), 404, "bad_route")
      }
      expect(try await json(server, "ListRooms", token, "{"), 400, "malformed")
      expect(try await json(server, "ListRooms", token, #"{"names": 7}"#), 400, "malformed")
      expect(try await post(server, list, token, type: "application/protobuf", [0xFF]), 400, "malformed")
      for path in ["livekit.Egress/StartWebEgress", "livekit.SIP/CreateSIPTrunk"] {
        expect(try await post(server, "/twirp/" + path, token, Array("{}".utf8)), 501, "unimplemented")
        expect(try await post(server, "/twirp/" + path, nil, Array("{}".utf8)), 401, "unauthenticated")
      }
      let open = try self.token(server) { $0.roomCreate = true }
      for body in ["{}", #"{"name": "\#(String(repeating: "x", count: 257))"}"#] {
        expect(try await json(server, "CreateRoom", open, body), 400, "invalid_argument")
      }
    }
  }

  @Test("each method needs its grant, and an administrator manages one room", arguments: methods.indices)
  func permissions(_ index: Int) async throws {
    let (name, needs) = Self.methods[index]
    try await TestServer.with { server in
      let body =
        #"{"name": "demo", "room": "demo", "roomName": "demo", "identity": "nobody", "metadata": "m", "destinationRoom": "x", "#
        + #""inputType": "WHIP_INPUT", "participantIdentity": "nobody", "destination_identity": "nobody", "method": "m"}"#
      let foreign = try TokenKeys([TestServer.key: "another secret of forty bytes, not known"])
      var late = LiveKitToken(key: TestServer.key, expires: Date(timeIntervalSinceNow: -100))
      late.grants.roomCreate = true
      var webhook = LiveKitToken(key: TestServer.key, expires: Date(timeIntervalSinceNow: 100))
      webhook.sha256 = "x"
      let unknown: [String?] = [
        nil, "", "a.b.c", try server.apiToken(), try server.token("ann"), try server.keys.sign(late), try foreign.sign(late),
      ]
      for token in unknown { expect(try await json(server, name, token, body), 401, "unauthenticated") }
      let grants: [(name: String, token: String)] = [
        ("create", try token(server) { $0.roomCreate = true }), ("list", try token(server) { $0.roomList = true }),
        ("admin", try admin(server, of: "demo")),
        ("other room", try token(server) { ($0.roomAdmin, $0.room) = (true, ForeignName("other")) }),
        ("no room", try token(server) { $0.roomAdmin = true }), ("record", try token(server) { $0.roomRecord = true }),
        ("ingress", try token(server) { $0.ingressAdmin = true }),
        (
          "destination",
          try token(server) {
            ($0.roomAdmin, $0.room, $0.destinationRoom) = (true, ForeignName("demo"), ForeignName("x"))
          }
        ),
        (
          "other destination",
          try token(server) { ($0.roomAdmin, $0.room, $0.destinationRoom) = (true, ForeignName("x"), ForeignName("demo")) }
        ),
        ("join", try token(server) { ($0.roomJoin, $0.room) = (true, ForeignName("demo")) }),
        ("webhook", try server.keys.sign(webhook)),
      ]
      for (grant, token) in grants {
        let response = try await json(server, name, token, body)
        let isPermitted =
          switch grant {
          case "admin": ["create", "list", "admin"].contains(needs)
          case "destination": ["admin", "destination"].contains(needs)
          default: grant == needs
          }
        if isPermitted {
          // There is no such room, or nobody in it.
          let isFound =
            ["CreateRoom", "ListRooms", "ListParticipants", "Egress/ListEgress", "Ingress/CreateIngress"]
            .contains(name) || ["Ingress/ListIngress", "AgentDispatchService/CreateDispatch"].contains(name)
          #expect(isFound ? response.status == 200 : response.status == 404, "\(grant): \(response.text)")
        } else {
          expect(response, 403, "permission_denied")
        }
        _ = try await server.api("DELETE", "/v1/rooms/demo")
      }
    }
  }

  @Test("agents are asked into rooms, listed and withdrawn, and survive a restart") func agents() async throws {
    let data = FileManager.default.temporaryDirectory.appending(path: "agents-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    func list(_ server: TestServer, _ room: String) async throws -> [LiveKit.AgentDispatch] {
      let response = try await json(
        server, "AgentDispatchService/ListDispatch", try admin(server, of: room), #"{"room": "\#(room)"}"#)
      guard response.status == 200 else { return [] }
      return try LiveKit.ListAgentDispatchResponse(json: Data(response.body)).agentDispatches
    }
    var kept: LiveKit.AgentDispatch?
    try await TestServer.with({ $0.data = data }) { server in
      let token = try admin(server)
      let body = #"{"room": "a room", "agentName": "helper", "metadata": "hello", "restartPolicy": "JRP_NEVER"}"#
      var made: [LiveKit.AgentDispatch] = []
      for _ in 0..<2 {
        let response = try await json(server, "AgentDispatchService/CreateDispatch", token, body)
        made.append(try LiveKit.AgentDispatch(json: Data(response.body)))
      }
      #expect(made[0].id.hasPrefix("AD_") && made[0].agentName == "helper" && made[0].metadata == "hello")
      #expect(made[0].room == "a room" && made[0].restartPolicy == .never && (made[0].state?.createdAt ?? 0) > 0)
      let delete = "AgentDispatchService/DeleteDispatch"
      let deletion = #"{"room": "a room", "dispatchId": "\#(made[0].id)"}"#
      let deleted = try LiveKit.AgentDispatch(json: Data(try await json(server, delete, token, deletion).body))
      #expect(deleted.id == made[0].id && (deleted.state?.deletedAt ?? 0) > 0)
      expect(try await json(server, delete, token, deletion), 404, "not_found")
      #expect(try await list(server, "a room") == [made[1]])
      kept = made[1]
      let excess = #"{"room": "a room", "metadata": "\#(String(repeating: "x", count: 32_769))"}"#
      expect(try await json(server, "AgentDispatchService/CreateDispatch", token, excess), 400, "invalid_argument")

      let create = #"{"name": "b", "agents": [{"agent_name": "one"}, {"agent_name": "two", "metadata": "m"}]}"#
      for _ in 0..<2 { #expect(try await json(server, "CreateRoom", token, create).status == 200) }
      #expect(try await list(server, "b").map(\.agentName) == ["one", "two"])
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"c"}"#)
      #expect(try await list(server, "c").isEmpty)
      _ = try await json(server, "DeleteRoom", token, #"{"room": "b"}"#)
      _ = try await json(server, "CreateRoom", token, #"{"name": "b"}"#)
      #expect(try await list(server, "b").isEmpty)
    }
    let survivor = try #require(kept)
    try await TestServer.with({ $0.data = data }) { server in
      let (first, second) = (try await list(server, "a room"), try await list(server, "b"))
      #expect(first == [survivor] && second.isEmpty)
    }
  }

  @Test("rooms are created once, listed, described and deleted, in both forms") func rooms() async throws {
    try await TestServer.with { server in
      let token = try admin(server)
      let body = #"{"name": "a room", "emptyTimeout": 60, "max_participants": 5, "metadata": "first", "future": [1]}"#
      let response = try await json(server, "CreateRoom", token, body)
      #expect(response.status == 200 && response.headers["content-type"] == "application/json", "\(response.text)")
      let made = try LiveKit.Room(json: Data(response.body))
      #expect(made.sid.hasPrefix("RM_") && made.name == "a room" && made.emptyTimeout == 60 && made.maxParticipants == 5)
      #expect(made.metadata == "first" && made.creationTime > 1_700_000_000)
      // All fields are there, by the schema's names.
      #expect(response.text.contains(#""num_participants":0"#) && response.text.contains(#""version":null"#))
      let again: LiveKit.Room = try await call(
        server, "CreateRoom",
        LiveKit.CreateRoomRequest {
          $0.name = "a room"
          $0.metadata = "second"
        })
      #expect(again == made)
      // A value beyond the range becomes the nearest.
      let short: LiveKit.Room = try await call(
        server, "CreateRoom",
        LiveKit.CreateRoomRequest {
          $0.name = "b"
          $0.emptyTimeout = 1
          $0.maxParticipants = .max
        })
      #expect(short.emptyTimeout == 10 && short.maxParticipants > 5 && short.maxParticipants < .max && short.metadata.isEmpty)
      let all: LiveKit.ListRoomsResponse = try await call(server, "ListRooms", LiveKit.ListRoomsRequest())
      #expect(all.rooms == [made, short])
      let one: LiveKit.ListRoomsResponse = try await call(
        server, "ListRooms", LiveKit.ListRoomsRequest { $0.names = ["a room", "none", "a room"] })
      #expect(one.rooms == [made])
      let changed: LiveKit.Room = try await call(
        server, "UpdateRoomMetadata",
        LiveKit.UpdateRoomMetadataRequest {
          $0.room = "a room"
          $0.metadata = "third"
        })
      #expect(changed.metadata == "third" && changed.sid == made.sid)
      let state: RoomSnapshot = try await server.api("GET", "/v1/rooms/:a:20room/state").decoded()
      #expect(state.attributes == ["metadata": "third"])
      let long = String(repeating: "x", count: 4097)
      expect(
        try await json(server, "UpdateRoomMetadata", token, #"{"room": "a room", "metadata": "\#(long)"}"#), 400,
        "invalid_argument")
      expect(try await json(server, "CreateRoom", token, #"{"name": "c", "metadata": "\#(long)"}"#), 400, "invalid_argument")
      _ = try await call(
        server, "DeleteRoom", LiveKit.DeleteRoomRequest { $0.room = "a room" }, as: LiveKit.DeleteRoomResponse.self)
      expect(try await json(server, "DeleteRoom", token, #"{"room": "a room"}"#), 404, "not_found")
      #expect(try await json(server, "ListParticipants", token, #"{"room": "a room"}"#).text == #"{"participants":[]}"#)
    }
  }

  @Test("participants of any protocol are listed, changed and removed") func participants() async throws {
    try await TestServer.with { server in
      let token = try admin(server)
      let ann = try await server.join("ann", room: ":a:20room")
      let bob = try await server.join(":bob:20b", room: ":a:20room", grants: [.subscribe], autoSubscribe: false)
      let list: LiveKit.ListParticipantsResponse = try await call(
        server, "ListParticipants", LiveKit.ListParticipantsRequest { $0.room = "a room" })
      #expect(list.participants.map(\.identity) == ["ann", "bob b"])
      #expect(list.participants.map { $0.permission?.canPublish } == [true, false])
      let rooms: LiveKit.ListRoomsResponse = try await call(server, "ListRooms", LiveKit.ListRoomsRequest())
      #expect(rooms.rooms.first?.numParticipants == 2)

      for (metadata, attributes) in [("m", ["seat": "2", "hand": "up"]), ("", ["hand": ""])] {
        let changed: LiveKit.ParticipantInfo = try await call(
          server, "UpdateParticipant",
          LiveKit.UpdateParticipantRequest {
            ($0.room, $0.identity, $0.name, $0.metadata, $0.attributes) = ("a room", "bob b", "Bob", metadata, attributes)
          })
        #expect(changed.name == "Bob" && changed.metadata == "m" && changed.attributes["seat"] == "2")
      }
      let profile = ParticipantProfile(name: "Bob", metadata: "m", attributes: ["seat": "2"])
      _ = try await ann.event("bob's profile") {
        if case .profileChanged(let data) = $0, data.profile == profile { data.userId } else { nil }
      }
      let found: LiveKit.ParticipantInfo = try await call(
        server, "GetParticipant",
        LiveKit.RoomParticipantIdentity { ($0.room, $0.identity) = ("a room", "bob b") })
      #expect(found.attributes == ["seat": "2"] && found.sid == list.participants.last?.sid && found.state == .active)
      let named = #""room": "a room", "identity": "bob b""#
      let hides = "{\(named), \"permission\": {\"hidden\": true}}"
      expect(try await json(server, "UpdateParticipant", token, hides), 501, "unimplemented")
      let permission = LiveKit.ParticipantPermission {
        ($0.canSubscribe, $0.canPublish, $0.canPublishData, $0.canUpdateMetadata) = (true, true, false, true)
        $0.canPublishSources = [.microphone]
      }
      let permitted: LiveKit.ParticipantInfo = try await call(
        server, "UpdateParticipant",
        LiveKit.UpdateParticipantRequest { ($0.room, $0.identity, $0.permission) = ("a room", "bob b", permission) })
      #expect(permitted.permission == permission)
      let given = Permissions(grants: [.publish, .subscribe], sources: ["microphone"], data: false, ownProfile: true)
      for client in [ann, bob] {
        _ = try await client.event("bob's permissions") {
          if case .permissionsChanged(let data) = $0, data.permissions == given { data.userId } else { nil }
        }
      }
      let long = String(repeating: "x", count: 4097)
      expect(try await json(server, "UpdateParticipant", token, "{\(named), \"name\": \"\(long)\"}"), 400, "invalid_argument")
      expect(try await json(server, "MutePublishedTrack", token, "{\(named), \"trackSid\": \"TR_no\"}"), 404, "not_found")
      expect(try await json(server, "UpdateSubscriptions", token, "{\(named), \"trackSids\": [\"no\"]}"), 404, "not_found")
      for method in ["GetParticipant", "UpdateParticipant", "MutePublishedTrack", "UpdateSubscriptions", "RemoveParticipant"] {
        expect(try await json(server, method, token, #"{"room": "a room", "identity": "no"}"#), 404, "not_found")
        expect(try await json(server, method, token, #"{"room": "a room"}"#), 400, "invalid_argument")
      }
      let track = try #require(try await ann.publish(.opus).first).trackId
      for muted in [true, false] {
        let answer: LiveKit.MuteRoomTrackResponse = try await call(
          server, "MutePublishedTrack",
          LiveKit.MuteRoomTrackRequest {
            ($0.room, $0.identity, $0.trackSID, $0.muted) = ("a room", "ann", track.rawValue, muted)
          })
        #expect(answer.track?.sid == track.rawValue && answer.track?.muted == muted && answer.track?.type == .audio)
        _ = try await ann.event("the mute") {
          if case .muteChanged(let data) = $0, data.trackId == track, data.muted == muted { true } else { nil }
        }
      }
      // A track is muted at its own participant only.
      expect(
        try await json(server, "MutePublishedTrack", token, "{\(named), \"trackSid\": \"\(track)\"}"), 404, "not_found")
      _ = try await call(
        server, "UpdateSubscriptions",
        LiveKit.UpdateSubscriptionsRequest {
          ($0.room, $0.identity, $0.trackSIDs, $0.subscribe) = ("a room", "bob b", [track.rawValue], true)
        }, as: LiveKit.UpdateSubscriptionsResponse.self)
      let offered = try await bob.offer()
      #expect(offered.tracks.map(\.trackId) == [track])

      #expect(try await json(server, "RemoveParticipant", token, "{\(named)}").status == 200)
      try await Self.isKicked(bob)
      expect(try await json(server, "GetParticipant", token, "{\(named)}"), 404, "not_found")
    }
  }

  @Test("where joins open no rooms, nobody is moved to a room that does not exist") func move() async throws {
    try await TestServer.with({ $0.autoCreateRooms = false }) { server in
      for room in ["demo", "other"] { _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#) }
      let ann = try await server.join("ann", room: "demo")
      let token = try self.token(server) { grants in
        (grants.roomAdmin, grants.room, grants.destinationRoom) = (true, ForeignName("demo"), ForeignName("x"))
      }
      let body = #"{"room": "demo", "identity": "ann", "destinationRoom": "x"}"#
      expect(try await json(server, "MoveParticipant", token, body), 404, "not_found")
      let existing = try self.token(server) { grants in
        (grants.roomAdmin, grants.room, grants.destinationRoom) = (true, ForeignName("demo"), ForeignName("other"))
      }
      // She has no client of LiveKit's.
      let move = #"{"room": "demo", "identity": "ann", "destinationRoom": "other"}"#
      expect(try await json(server, "MoveParticipant", existing, move), 412, "failed_precondition")
      withExtendedLifetime(ann) {}
    }
  }

  @Test("a removed administrator manages nothing with its token") func removed() async throws {
    try await TestServer.with { server in
      let body = #"{"room": "demo", "identity": "host"}"#
      var host = LiveKitToken(
        key: TestServer.key, identity: ForeignName("host"), expires: Date(timeIntervalSinceNow: 600))
      (host.grants.roomJoin, host.grants.roomAdmin, host.grants.room) = (true, true, ForeignName("demo"))
      let text = try server.keys.sign(host)
      let own = try server.keys.verifyLiveKit(text).roomToken
      let client = try await server.connect()
      // The native token of the same id: what matters is that it was kicked.
      try await client.join(try server.keys.sign(own, key: TestServer.key))
      #expect(try await json(server, "GetParticipant", text, body).status == 200)
      #expect(try await json(server, "RemoveParticipant", try admin(server, of: "demo"), body).status == 200)
      expect(try await json(server, "GetParticipant", text, body), 401, "unauthenticated")

      // Another token of the same identity is valid, unless it is revoked by its time.
      func token(validSince seconds: Double) throws -> String {
        var token = host
        token.notBefore = Date(timeIntervalSinceNow: seconds)
        return try server.keys.sign(token)
      }
      let (older, newer) = (try token(validSince: -10), try token(validSince: 10))
      for text in [older, newer] { expect(try await json(server, "GetParticipant", text, body), 404, "not_found") }
      let revoked = #"{"room": "demo", "identity": "host", "revokeTokenTs": "\#(Int(Date().timeIntervalSince1970))"}"#
      expect(try await json(server, "RemoveParticipant", try admin(server, of: "demo"), revoked), 404, "not_found")
      expect(try await json(server, "GetParticipant", older, body), 401, "unauthenticated")
      expect(try await json(server, "GetParticipant", newer, body), 404, "not_found")
    }
  }

  @Test("any node of a cluster answers", .enabled(if: RedisServer.isInstalled)) func cluster() async throws {
    try await ClusterServers.with(2) { cluster in
      let token = try admin(cluster[0], of: "room1")
      for number in 0..<4 {
        let made = try await json(cluster[number % 2], "CreateRoom", token, #"{"name": "room\#(number)", "metadata": "m"}"#)
        #expect(made.status == 200, "\(made.text)")
      }
      let owner = try #require(try await cluster.owner(of: "room1"))
      let other = cluster[1 - owner]
      for server in cluster.servers {
        let list = try LiveKit.ListRoomsResponse(json: Data(try await json(server, "ListRooms", token, "{}").body))
        #expect(list.rooms.map(\.name) == (0..<4).map { "room\($0)" } && list.rooms.allSatisfy { $0.metadata == "m" })
        let raw = try await post(server, Self.service + "ListRooms", token, type: "application/protobuf", [])
        #expect(try LiveKit.ListRoomsResponse(protobuf: raw.body).rooms.count == 4)
      }
      let ann = try await cluster[owner].join("ann", room: "room1")
      let list = try await json(other, "ListParticipants", token, #"{"room": "room1"}"#)
      #expect(try LiveKit.ListParticipantsResponse(json: Data(list.body)).participants.map(\.identity) == ["ann"])
      expect(try await json(other, "GetParticipant", token, #"{"room": "room1", "identity": "no"}"#), 404, "not_found")
      expect(try await json(other, "GetParticipant", token, #"{"room": "room2", "identity": "no"}"#), 403, "permission_denied")
      #expect(try await json(other, "RemoveParticipant", token, #"{"room": "room1", "identity": "ann"}"#).status == 200)
      try await Self.isKicked(ann)
      try await others(cluster[owner], other)
      #expect(try await json(other, "DeleteRoom", token, #"{"room": "room1"}"#).status == 200)
    }
  }

  /// The other services, called at a node for room "room1" of another one.
  private func others(_ owner: TestServer, _ other: TestServer) async throws {
    let token = try token(owner) {
      ($0.roomAdmin, $0.room, $0.roomRecord, $0.ingressAdmin) = (true, ForeignName("room1"), true, true)
    }
    let made = try await json(
      other, "Ingress/CreateIngress", token,
      #"{"input_type": "RTMP_INPUT", "room_name": "room1", "participant_identity": "camera"}"#)
    let key = try LiveKit.IngressInfo(json: Data(made.body)).streamKey
    let encoder = try await RTMPPeer.start(.publish, other, key, app: "ingress")
    encoder.send(LiveSample.metadata, LiveSample.audioHeader)
    for server in [owner, other] {
      try await eventually("the ingress publishes, as each node says") {
        let list = try LiveKit.ListIngressResponse(json: Data(try await json(server, "Ingress/ListIngress", token, "{}").body))
        return list.items.map(\.state?.status) == [.publishing]
      }
    }
    let body = #"{"room_name": "room1", "identity": "camera", "stream_outputs": [{"urls": ["rtmp://origin/live/x"]}]}"#
    let started = try await json(other, "Egress/StartParticipantEgress", token, body)
    #expect(started.status == 200, "\(started.text)")
    let id = try LiveKit.EgressInfo(json: Data(started.body)).egressID
    for server in [owner, other] {
      let list = try await json(server, "Egress/ListEgress", token, #"{"room_name": "room1"}"#)
      #expect(try LiveKit.ListEgressResponse(json: Data(list.body)).items.map(\.egressID) == [id])
    }
    #expect(try await json(other, "Egress/StopEgress", token, #"{"egress_id": "\#(id)"}"#).status == 200)
    let dispatch = try await json(
      other, "AgentDispatchService/CreateDispatch", token, #"{"room": "room1", "agent_name": "helper"}"#)
    #expect(dispatch.status == 200, "\(dispatch.text)")
    for server in [owner, other] {
      let list = try await json(server, "AgentDispatchService/ListDispatch", token, #"{"room": "room1"}"#)
      #expect(try LiveKit.ListAgentDispatchResponse(json: Data(list.body)).agentDispatches.map(\.agentName) == ["helper"])
    }
    encoder.end()
  }
}
