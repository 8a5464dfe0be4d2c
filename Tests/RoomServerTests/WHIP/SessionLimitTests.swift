import RoomPeers
import RoomProtocol
import RoomSFU
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

@Suite("Sessions over HTTP and the capacity of a room")
struct SessionLimitTests {
  private func make(_ server: TestServer, places: Int) async throws -> Room {
    #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room","maxParticipants":\#(places)}"#).status == 201)
    return try #require(await server.server.directory.room("room"))
  }

  private func view(_ server: TestServer, _ token: String) async throws -> TestResponse {
    try await server.post("/whep/room", token, HTTPOffer.view(.opus))
  }

  private func refusal(_ server: TestServer, _ user: UserID, grants: Grants) async throws -> RoomError? {
    let client = try await server.connect()
    return try await client.error(of: .join(JoinParams(token: try server.token(user, grants: grants))))
  }

  @Test("sessions whose media never connects use no capacity")
  func silentViewers() async throws {
    try await TestServer.with { server in
      _ = try await make(server, places: 5)
      let token = try server.token("mallory", grants: [.subscribe])
      for _ in 0..<8 { #expect(try await view(server, token).status == 201) }
      for user: UserID in ["one", "two"] {
        #expect(try await server.post("/whip/room", try server.token(user), try HTTPOffer.publish(.opus)).status == 201)
      }
      #expect(try await refusal(server, "host", grants: [.publish, .subscribe, .admin]) == nil)
      for index in 0..<4 { #expect(try await refusal(server, "viewer\(index)", grants: [.subscribe]) == nil) }
      #expect(try await refusal(server, "late", grants: [.subscribe])?.code == .joinFailed)
    }
  }

  @Test("viewers whose media connects use capacity, but not the share reserved for publishers")
  func reserved() async throws {
    try await TestServer.with { server in
      let room = try await make(server, places: 3)
      for user: UserID in ["a", "b", "c"] {
        #expect(try await view(server, try server.token(user, grants: [.subscribe])).status == 201)
      }
      for transport in await room.viewerTransports { room.inbox.post(.media(.transportConnected(transport))) }
      try await eventually("the third is rejected") { try await server.metric("roomserver_viewers") == 2 }
      let refused = try await view(server, try server.token("d", grants: [.subscribe]))
      #expect(refused.status == 503 && refused.error?.code == .joinFailed, "\(refused.text)")
      #expect(refused.text.contains("reserved for publishers"))
      #expect(try await refusal(server, "viewer", grants: [.subscribe])?.code == .joinFailed)
      #expect(try await refusal(server, "host", grants: [.publish]) == nil)
      #expect(try await refusal(server, "another", grants: [.publish])?.message.contains("its limit is 3") == true)
      #expect(try await refusal(server, "host", grants: [.publish]) == nil, "in its own place")
    }
  }

  @Test("a WHIP session that connects after the room has become full is ended")
  func filled() async throws {
    try await TestServer.with { server in
      let room = try await make(server, places: 1)
      #expect(try await server.post("/whip/room", try server.token("slow"), try HTTPOffer.publish(.opus)).status == 201)
      let slow = try #require(await room.mediaIDs(of: "slow").publish)
      #expect(try await refusal(server, "host", grants: [.publish]) == nil)
      room.inbox.post(.media(.transportConnected(slow)))
      try await eventually("it is ended") { await room.session(of: "slow") == nil }
      #expect(await room.read(\.counts).participants == 1)
    }
  }

  @Test("sessions over the limit of a token, or of a user, are rejected with 429")
  func perToken() async throws {
    try await TestServer.with({
      $0.limits.sessionsPerToken = 2
      $0.limits.sessionsPerUser = 3
    }) { server in
      _ = try await make(server, places: 100)
      let tokens = try (0..<2).map { _ in try server.token("carol", grants: [.subscribe]) }
      let first = try await view(server, tokens[0]).location()
      #expect(try await view(server, tokens[0]).status == 201)
      let refused = try await view(server, tokens[0])
      #expect(refused.status == 429 && refused.error?.code == .joinFailed && refused.headers["retry-after"] != nil)
      #expect(try await view(server, tokens[1]).status == 201)
      #expect(try await view(server, tokens[1]).status == 429, "the user has three")
      #expect(try await view(server, try server.token("dave", grants: [.subscribe])).status == 201)
      #expect(try await server.http("DELETE", first, tokens[0]).status == 200)
      #expect(try await view(server, tokens[1]).status == 201)
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="sessions"}"#) == 2)
    }
  }

  @Test(
    "a share of a room's capacity is reserved, and at least one participant may join without it",
    arguments: [(1, 2, 0), (2, 2, 1), (5, 2, 1), (100, 2, 2), (1000, 2, 20), (10, 0, 0), (10, 100, 9), (0, 50, 0)])
  func share(most: Int, share: Int, reserved: Int) {
    var places = RoomCapacity(most: most, publisherShare: share)
    #expect(places.reserved == reserved)
    places.others = most - reserved
    #expect(!places.hasCapacity(publishes: false))
    #expect(places.hasCapacity(publishes: true) == (reserved > 0))
    places.publishers = reserved
    #expect(!places.hasCapacity(publishes: true))
  }
}

extension Room {
  var viewerTransports: [TransportID] { execution.core.viewers.byID.values.map(\.resource.transport) }
}
