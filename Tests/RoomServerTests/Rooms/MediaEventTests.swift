import RoomProtocol
import RoomSFU
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

@Suite("Events of media workers")
struct MediaEventTests {
  @Test("levels and speakers are sent to participants who requested them, by user and track")
  func levels() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    let (bob, _) = await bare.join("bob", audioLevels: true)
    try await bare.publish("alice", session: session, outlet: alice, .opus)
    let track = try #require(await bare.room.mediaIDs(of: "alice").tracks.first)
    _ = (alice.takeEvents(), bob.takeEvents())

    await bare.room.handle(
      .audioLevels([TrackLevel(track: track, level: -30), TrackLevel(track: MediaTrackID(999), level: -1)]))
    await bare.room.handle(.activeSpeakers([track, MediaTrackID(999)]))
    #expect(alice.takeEvents().isEmpty)
    let told = bob.takeEvents()
    guard case .audioLevels(let levels) = try #require(told.first) else { throw DidNotHappen(what: "levels") }
    #expect(levels.levels.map(\.userId) == ["alice"])
    #expect(levels.levels.map(\.level) == [-30])
    #expect(told.last == .activeSpeakers(ActiveSpeakersData(userIds: ["alice"])))
  }

  @Test("changes of connections' quality reach everybody in one event, and newcomers")
  func qualities() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, first) = await bare.join("alice")
    let (bob, second) = await bare.join("bob")
    try await bare.publish("alice", session: first, outlet: alice, .opus)
    try await bare.publish("bob", session: second, outlet: bob, .opus)
    let ours = try #require(await bare.room.mediaIDs(of: "alice").publish)
    let theirs = try #require(await bare.room.mediaIDs(of: "bob").publish)
    await bare.room.handle(.qualityChanged(ours, publishing: .bad, subscribing: nil))
    await bare.room.handle(.qualityChanged(theirs, publishing: .weak, subscribing: nil))
    await bare.room.handle(.qualityChanged(ours, publishing: .weak, subscribing: nil))
    let expected = [UserQuality(userId: "alice", uplink: .weak), UserQuality(userId: "bob", uplink: .weak)]
    for outlet in [alice, bob] {
      let events = try await eventually("the event") { () -> [SignalEvent]? in
        let events = outlet.takeEvents().filter { $0.name == "networkQuality" }
        return events.isEmpty ? nil : events
      }
      #expect(events == [.networkQuality(NetworkQualityData(users: expected))])
    }
    let (carol, _) = await bare.join("carol")
    #expect(carol.takeEvents().contains(.networkQuality(NetworkQualityData(users: expected))))
  }

  @Test("levels and speakers start and stop on request, and a resumed session keeps the choice")
  func switchesLevels() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      try await alice.publish(.opus)
      let bob = try await server.connect()
      let session = try await bob.join(try server.token("bob")).sessionId
      let room = try #require(await server.server.directory.room("room"))
      let track = try #require(await room.mediaIDs(of: "alice").tracks.first)
      /// Returns what a client receives when alice speaks.
      func heard(_ client: SignalClient) async throws -> [String] {
        let before = client.heard.count
        await room.handle(.audioLevels([TrackLevel(track: track, level: -30)]))
        await room.handle(.activeSpeakers([track]))
        let _: Empty = try await client.call(.ping)
        return client.heard[before...].filter { ["audioLevels", "activeSpeakers"].contains($0) }
      }
      #expect(try await heard(bob).isEmpty)
      let _: Empty = try await bob.call(.setAudioLevels(AudioLevelsParams(enabled: true)))
      #expect(try await heard(bob) == ["audioLevels", "activeSpeakers"])
      #expect(try await heard(alice).isEmpty)
      bob.kill()
      _ = try await alice.event("the loss") {
        if case .connectionChanged(let data) = $0, !data.connected { true } else { nil }
      }
      let again = try await server.connect()
      try await again.join(try server.token("bob"), resume: session)
      #expect(try await heard(again) == ["audioLevels", "activeSpeakers"])
      let _: Empty = try await again.call(.setAudioLevels(AudioLevelsParams(enabled: false)))
      #expect(try await heard(again).isEmpty)
    }
  }

  @Test("the tracks of a failed publish transport end; the publisher may start a new one")
  func publishFailed() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    let (bob, _) = await bare.join("bob")
    try await bare.publish("alice", session: session, outlet: alice, .opus, .vp8)
    let before = await bare.room.mediaIDs(of: "alice")
    _ = bob.takeEvents()
    await bare.room.handle(.transportFailed(try #require(before.publish), .timeout))
    #expect(bob.takeEvents().map(\.name) == ["unpublished"])
    #expect(await bare.room.mediaIDs(of: "alice").tracks.isEmpty)
    try await bare.publish("alice", session: session, outlet: alice, .opus)
    let after = await bare.room.mediaIDs(of: "alice")
    #expect(after.tracks.count == 1)
    #expect(after.publish != before.publish)
  }

  @Test("a failed subscribe transport is replaced at the next change, and the client is notified that it is new")
  func subscribeFailed() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    let (bob, _) = await bare.join("bob")
    try await bare.publish("alice", session: session, outlet: alice, .opus)
    let transport = try #require(await bare.room.mediaIDs(of: "bob").subscribe)
    _ = bob.takeEvents()
    await bare.room.handle(.transportFailed(transport, .handshake("wrong curve")))
    #expect(await bare.room.mediaIDs(of: "bob").subscribe == nil)
    _ = await bare.room.handle(
      SignalRequest(id: 3, call: .resubscribe), session: try #require(await bare.room.session(of: "bob")), of: "bob",
      outlet: bob)
    guard case .offer(let offer)? = bob.takeEvents().first else { throw DidNotHappen(what: "an offer") }
    #expect(offer.restart)
    #expect(offer.tracks.count == 1)
  }

  @Test("events for removed objects are ignored")
  func stale() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, _) = await bare.join("alice", audioLevels: true)
    _ = alice.takeEvents()
    for event: MediaEvent in [
      .transportConnected(TransportID(9)), .transportDisconnected(TransportID(9)), .transportFailed(TransportID(9), .keys),
      .transportClosed(TransportID(9)), .firstPacket(MediaTrackID(9)), .audioLevels([]), .refused(.track(MediaTrackID(9))),
    ] { await bare.room.handle(event) }
    #expect(alice.takeEvents().isEmpty)
  }
}

extension Room {
  func session(of user: UserID) -> SessionID? { execution.core.roster[user]?.session }
}

@Suite("The end of a room")
struct RoomEndTests {
  @Test("an empty room closes after its time and is removed, one that is joined in time is not")
  func emptyTime() async throws {
    let bare = try BareRoom(emptyTime: .milliseconds(30))
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    // Real time: twice as long as an empty room stays open.
    try await Task.sleep(for: .milliseconds(60))
    #expect(await !bare.room.read(\.isClosed))
    _ = await bare.room.handle(SignalRequest(id: 2, call: .leave), session: session, of: "alice", outlet: alice)
    #expect(alice.closed == .sessionEnded)
    try await eventually("the room closes and is removed") { bare.forgotten.withLock { $0 } == 1 }
    #expect(await bare.room.read(\.isClosed))
  }

  @Test("a closed room can't be joined")
  func closed() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    await bare.room.close(EndedData(reason: .roomClosed))
    await bare.room.close(EndedData(reason: .roomClosed))
    #expect(await bare.join("alice").sessionId.isEmpty)
    #expect(bare.forgotten.withLock { $0 } == 1)
  }

  @Test("an ended session is notified, and its late requests change nothing")
  func lateRequests() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    try await bare.room.call(.kick(UserParams(userId: "alice")))
    #expect(alice.closed == .sessionEnded)
    let handled = await bare.room.handle(SignalRequest(id: 2, call: .ping), session: session, of: "alice", outlet: alice)
    #expect(handled == .ended)
    await bare.room.perform { $0.connectionLost(session, of: "alice", ConnectionID(alice)) }
    #expect(await bare.room.read(\.counts).participants == 0)
  }
}
