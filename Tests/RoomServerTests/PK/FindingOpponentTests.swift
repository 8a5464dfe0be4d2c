import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Finding an opponent, with real servers")
struct FindingOpponentTests {
  private static let host: Grants = [.publish, .subscribe, .admin]

  private func state(_ server: TestServer, _ room: String) async throws -> RoomSnapshot {
    try await server.api("GET", "/v1/rooms/\(room)/state").decoded()
  }

  private func match(_ server: TestServer, _ room: String, _ json: String = "{}") async throws -> TestResponse {
    try await server.api("POST", "/v1/rooms/\(room)/pk/match", json: json)
  }

  /// Waits until both rooms are in one PK; each of them may be at any of the servers.
  private func isRunning(_ server: TestServer, _ one: String, _ other: String) async throws {
    try await eventually("the PK of \(one) and \(other)", within: .seconds(20)) {
      let (first, second) = (try await state(server, one), try await state(server, other))
      guard let pk = first.pk else { return false }
      return pk.room.rawValue == other && second.pk?.pkId == pk.pkId && first.pkMatching == nil && second.pkMatching == nil
    }
  }

  @Test("the API's and a client's search meet in a running PK; both rooms learn of it, and no room meets the last one again")
  func oneServer() async throws {
    try await TestServer.with { server in
      let ann = try await server.join("ann", room: "a", grants: Self.host)
      let bob = try await server.join("bob", room: "b", grants: Self.host)
      _ = try await server.join("cid", room: "c", grants: Self.host)
      let begun = try await match(server, "a", #"{"tags":["sing"],"level":3,"levels":[1,5],"duration":300}"#)
      let result = try begun.decoded(PKMatchResult.self)
      #expect(begun.status == 200)
      #expect(try await state(server, "a").pkMatching?.ticket == result.ticket)
      // Other tags.
      #expect(try await match(server, "c", #"{"tags":["dance"],"duration":300}"#).status == 200)
      let params = PKMatchParams(duration: 300, tags: ["sing", "chess"], level: 5)
      _ = try await bob.call(.pk(.match(params)), PKMatchResult.self)
      try await isRunning(server, "a", "b")
      for (client, room) in [(ann, "b"), (bob, "a")] {
        let names = client.events.map(\.name).filter { ["pkMatching", "pkInvited", "pkMatchEnded", "pkBegan"].contains($0) }
        #expect(names == ["pkMatching", "pkMatchEnded", "pkBegan"])
        let ended = try await client.event("the end of the search") { event in
          if case .changed(let numbered) = event, case .pkMatchEnded(let data) = numbered.change { data } else { nil }
        }
        #expect(ended.outcome == .matched && ended.room?.rawValue == room && ended.userId == (room == "a" ? "ann" : "bob"))
      }
      #expect(try await state(server, "c").pkMatching != nil)
      // They have met just now.
      #expect(try await server.api("POST", "/v1/rooms/a/calls/quitPK", json: "{}").status == 200)
      try await eventually("the end") { try await state(server, "b").pk == nil }
      for room in ["a", "b"] { #expect(try await match(server, room, #"{"tags":["dance"],"duration":60}"#).status == 200) }
      _ = try await bob.call(.pk(.cancelMatch), Empty.self)
      try await eventually("the end of the search") { try await state(server, "b").pkMatching == nil }
      #expect(try await state(server, "a").pkMatching != nil)
      #expect(try await server.api("DELETE", "/v1/rooms/c/pk/match").status == 204)
      #expect(try await match(server, "c", #"{"tags":["dance"],"duration":60}"#).status == 200)
      try await isRunning(server, "a", "c")
    }
  }

  @Test("the API refuses what the room refuses")
  func refusals() async throws {
    try await TestServer.with { server in
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      #expect(try await match(server, "a").error?.code == .pkInviteFailed)
      _ = try await server.join("ann", room: "a", grants: Self.host)
      #expect(try await match(server, "a", #"{"wait":4}"#).status == 409)
      let unknown = try await match(server, "a", #"{"tag":"x"}"#)
      #expect(unknown.status == 400 && unknown.error?.message.contains(#"unknown member "tag""#) == true)
      #expect(try await server.api("DELETE", "/v1/rooms/a/pk/match").error?.code == .pkCancelFailed)
      #expect(try await match(server, "a").status == 200)
      #expect(try await match(server, "a").error?.code == .pkInviteFailed)
      #expect(try await match(server, "none").error?.code == .roomNotFound)
      for method in ["POST", "DELETE"] {
        #expect(try await server.request(method, "/v1/rooms/a/pk/match", token: nil, json: "{}").status == 401)
      }
    }
  }

  @Test("rooms of two nodes meet, whichever node is asked", .enabled(if: RedisServer.isInstalled))
  func cluster() async throws {
    try await ClusterServers.with(2) { cluster in
      let servers = cluster.servers
      // Rooms of both nodes.
      var rooms: [Int: [String]] = [:]
      var number = 0
      while rooms[0, default: []].count < 2 || rooms[1, default: []].count < 2, number < 60 {
        let name = "room\(number)"
        number += 1
        _ = try await servers[number % 2].api("POST", "/v1/rooms", json: #"{"name":"\#(name)"}"#)
        if let owner = try await cluster.owner(of: name) { rooms[owner, default: []].append(name) }
      }
      let (here, there) = (try #require(rooms[0]), try #require(rooms[1]))
      try #require(here.count >= 2 && there.count >= 2)
      for (server, names) in [(servers[0], here), (servers[1], there)] {
        for name in names.prefix(2) {
          _ = try await server.join(UserID("host-\(name)"), room: RoomName(name), grants: Self.host)
        }
      }
      // The request reaches the node of the room.
      for room in [here[0], there[0]] { #expect(try await match(servers[0], room).status == 200) }
      try await isRunning(servers[0], here[0], there[0])
      for room in [there[1], here[1]] {
        #expect(try await match(servers[1], room, #"{"way":"bridge","wait":300}"#).status == 200)
      }
      try await isRunning(servers[1], here[1], there[1])
    }
  }
}
