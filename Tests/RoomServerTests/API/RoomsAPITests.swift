import Foundation
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@Suite("REST")
struct RoomsAPITests {
  struct Room: Decodable {
    var name: String
    var participants: Int
    var tracks: Int
  }
  struct Rooms: Decodable { var rooms: [Room] }
  struct Participants: Decodable { var participants: [ParticipantInfo] }

  @Test("a room is created once, listed, shown and closed")
  func roomLife() async throws {
    try await TestServer.with { server in
      let created = try await server.api("POST", "/v1/rooms", json: #"{"name":"b","maxParticipants":3}"#)
      #expect(created.status == 201)
      #expect(try created.decoded(Room.self).name == "b")
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"b"}"#).status == 200)
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      #expect(try await server.api("GET", "/v1/rooms").decoded(Rooms.self).rooms.map(\.name) == ["a", "b"])
      #expect(try await server.api("GET", "/v1/rooms/a").status == 200)
      #expect(try await server.api("DELETE", "/v1/rooms/a").status == 204)
      #expect(try await server.api("GET", "/v1/rooms").decoded(Rooms.self).rooms.map(\.name) == ["b"])
    }
  }

  @Test("an unknown room is 404 with 404002, an unknown user or track 404 too")
  func unknown() async throws {
    try await TestServer.with { server in
      for (method, path) in [
        ("GET", "/v1/rooms/x"), ("DELETE", "/v1/rooms/x"), ("GET", "/v1/rooms/x/participants"),
        ("DELETE", "/v1/rooms/x/participants/u"), ("DELETE", "/v1/rooms/x/pk/match"),
      ] {
        let response = try await server.api(method, path)
        #expect(response.status == 404, "\(method) \(path)")
        #expect(response.error?.code == .roomNotFound, "\(method) \(path)")
      }
      #expect(try await server.api("POST", "/v1/rooms/x/tracks/t/mute", json: #"{"muted":true}"#).error?.code == .roomNotFound)
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      #expect(try await server.api("DELETE", "/v1/rooms/a/participants/u").error?.code == .notInRoom)
      for (room, code) in [("x", ErrorCode.roomNotFound), ("a", .notInRoom)] {
        let permit = try await server.api("PUT", "/v1/rooms/\(room)/participants/u/permissions", json: #"{"grants":[]}"#)
        #expect(permit.status == 404 && permit.error?.code == code)
      }
      let mute = try await server.api("POST", "/v1/rooms/a/tracks/t/mute", json: #"{"muted":true}"#)
      #expect(mute.status == 404)
    }
  }

  @Test("a missing, expired or foreign API token, or a room token, is 401 with 10002")
  func unauthorised() async throws {
    try await TestServer.with { server in
      let foreign = try TokenKeys([TestServer.key: "another secret of forty bytes, not known"])
      let tokens: [String?] = [
        nil, "", "nonsense", try server.apiToken(ttl: -1), try server.token("u"),
        try foreign.sign(APIToken(key: TestServer.key, expires: Date(timeIntervalSinceNow: 60))),
      ]
      for token in tokens {
        for (method, path) in [("GET", "/v1/rooms"), ("DELETE", "/v1/rooms/x"), ("GET", "/v1/rooms/x/participants")] {
          let response = try await server.request(method, path, token: token)
          #expect(response.status == 401)
          #expect(response.error?.code == .tokenInvalid)
          #expect(response.headers["www-authenticate"] == "Bearer")
        }
        #expect(try await server.request("POST", "/v1/tokens", token: token, json: "{}").status == 401)
      }
    }
  }

  @Test("a minted token joins its room with its grants")
  func mint() async throws {
    struct Minted: Decodable { var token: String }
    try await TestServer.with { server in
      let response = try await server.api(
        "POST", "/v1/tokens", json: #"{"room":"r","user":"u","grants":["subscribe","admin"],"ttl":60}"#)
      #expect(response.status == 200)
      let client = try await server.connect()
      let joined = try await client.join(try response.decoded(Minted.self).token)
      #expect(joined.room.name == "r")
      #expect(joined.me.userId == "u")
      #expect(joined.me.grants == [.subscribe, .admin])
      for body in [
        #"{"room":"r"}"#, #"{"room":"r","user":"u","ttl":0}"#, #"{"room":"r","user":"u","grants":["fly"]}"#,
        #"{"room":"r","user":"u u"}"#,
      ] {
        #expect(try await server.api("POST", "/v1/tokens", json: body).status == 400, "\(body)")
      }
    }
  }

  @Test("participants and tracks are listed, including hidden ones; the list of rooms does not count these")
  func roster() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      _ = try await server.join("ghost", grants: [.subscribe, .hidden])
      let tracks = try await alice.publish(.opus, .vp8)
      let listed = try await server.api("GET", "/v1/rooms/room/participants").decoded(Participants.self).participants
      #expect(listed.map(\.userId) == ["alice", "ghost"])
      #expect(listed.first?.tracks == tracks)
      let summary = try await server.api("GET", "/v1/rooms").decoded(Rooms.self).rooms.first
      #expect(summary?.participants == 1)
      #expect(summary?.tracks == 2)
    }
  }

  @Test("the API mutes a track: its owner and the others are notified, without an author")
  func mute() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let track = try #require(try await alice.publish(.opus).first)
      let path = "/v1/rooms/room/tracks/\(track.trackId)/mute"
      let response = try await server.api("POST", path, json: #"{"muted":true}"#)
      #expect(try response.decoded(TrackInfo.self).muted)
      for client in [alice, bob] {
        let data = try await client.event("muteChanged") { if case .muteChanged(let data) = $0 { data } else { nil } }
        #expect(data == MuteData(userId: "alice", trackId: track.trackId, muted: true, by: ""))
      }
    }
  }

  @Test("a room closed by the API sends roomClosed to all participants and closes their sockets")
  func closeRoom() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      let ended = try await alice.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.reason == .roomClosed)
      #expect(try await alice.closed() == 1000)
    }
  }

  @Test("health, metrics and the page require no token")
  func open() async throws {
    try await TestServer.with { server in
      #expect(try await server.request("GET", "/healthz").status == 200)
      #expect(try await server.request("GET", "/").headers["content-type"]?.hasPrefix("text/html") == true)
      _ = try await server.join("alice")
      let metrics = String(decoding: try await server.request("GET", "/metrics").body, as: UTF8.self)
      #expect(metrics.contains("\nroomserver_participants 1\n"))
      #expect(metrics.contains("\nroomserver_signalling_sockets 1\n"))
      for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
        #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e-]+/) != nil, "\(line)")
      }
    }
  }
}
