import RoomProtocol
import Testing

@testable import RoomServer

@Suite("Tracks that require confirmation")
struct ConfirmingTests {
  private func join(
    _ server: TestServer, _ user: UserID, grants: Grants = [.publish, .subscribe], resume: SessionID? = nil
  ) async throws -> (client: SignalClient, session: SessionID) {
    let client = try await server.connect()
    let params = JoinParams(token: try server.token(user, grants: grants), confirmsTracks: true, resume: resume)
    let joined = try await client.call(.join(params), JoinResult.self)
    return (client, joined.sessionId)
  }

  private func confirm(_ tracks: [TrackInfo], _ client: SignalClient) async throws {
    let _: Empty = try await client.call(.confirmTracks(ConfirmParams(trackIds: ["nobody's"] + tracks.map(\.trackId))))
  }

  /// Returns whether the server has sent an offer, after it has processed all requests.
  private func isOffered(_ client: SignalClient) async throws -> Bool {
    let _: Empty = try await client.call(.ping)
    return client.events.contains { $0.name == "offer" }
  }

  @Test("a track is offered only after it is confirmed; participants without confirmation get both tracks at once")
  func confirms() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let before = try await alice.publish(.opus)
      let (bob, _) = try await join(server, "bob")
      let plain = try await server.join("plain")
      #expect(try await plain.offer().tracks.map(\.trackId) == before.map(\.trackId))
      #expect(try await !isOffered(bob))
      try await confirm(before, bob)
      #expect(try await bob.offer().tracks.map(\.trackId) == before.map(\.trackId))

      let (eve, _) = try await join(server, "eve")
      let carol = try await server.join("carol")
      let tracks = try await carol.publish(.opus, .vp8)
      _ = try await eve.event("published") { if case .published(let data) = $0, data.userId == "carol" { true } else { nil } }
      #expect(try await !isOffered(eve))
      try await confirm([tracks[1]], eve)
      #expect(try await eve.offer().tracks.map(\.trackId) == [tracks[1].trackId])
      // A participant who subscribes explicitly gets what it did not confirm.
      let (dan, _) = try await join(server, "dan")
      let _: Empty = try await dan.call(.subscribe(TrackSelection(trackIds: [tracks[0].trackId])))
      #expect(try await dan.offer().tracks.map(\.trackId) == [tracks[0].trackId])
    }
  }

  @Test("a confirmation outlives a lost socket, and so does the requirement of one")
  func resumes() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let tracks = try await alice.publish(.opus, .vp8)
      let (bob, session) = try await join(server, "bob")
      try await confirm([tracks[0]], bob)
      let offer = try await bob.offer()
      bob.kill()
      _ = try await alice.event("the loss") {
        if case .connectionChanged(let data) = $0, !data.connected { true } else { nil }
      }
      let (again, _) = try await join(server, "bob", resume: session)
      // The pending offer is sent again, and still does not contain the unconfirmed track.
      #expect(try await again.offer() == offer)
      #expect(offer.tracks.map(\.trackId) == [tracks[0].trackId])
    }
  }

  @Test("it requires the subscribe grant")
  func grant() async throws {
    try await TestServer.with { server in
      let (bob, _) = try await join(server, "bob", grants: [.publish])
      #expect(try await bob.error(of: .confirmTracks(ConfirmParams(trackIds: [])))?.code == .noPermission)
    }
  }

  @Test("a listener who confirms everything gets the mix instead of the separate tracks")
  func mixed() async throws {
    try await TestServer.with { server in
      let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"room","audience":"voice"}"#)
      #expect(made.status == 201)
      let (listener, _) = try await join(server, "listener", grants: [.subscribe])
      let host = try await server.join("host", grants: [.publish, .subscribe, .admin])
      let separate = try await host.publish(.opus)
      let mix = try await listener.event("the mix") {
        if case .published(let data) = $0, data.userId == "@mix" { data.tracks } else { nil }
      }
      #expect(try await !isOffered(listener))
      try await confirm(separate + mix, listener)
      #expect(try await listener.offer().tracks.map(\.trackId) == mix.map(\.trackId))
    }
  }
}
