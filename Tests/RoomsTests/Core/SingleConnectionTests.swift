import RoomPeers
import RoomProtocol
import RoomRTP
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

@Suite("Clients with a single connection, in virtual time")
struct SingleConnectionTests {
  private static let traits: ClientTraits = [.opensReceiving, .choosesTrackIDs, .keepsTransports, .hasSingleConnection]

  /// Ann has a single connection, which receives one sound and one picture at first; Bob publishes by an encoder.
  private struct Scene {
    var room = VirtualRoom()
    var offer = SingleConnectionOffer()
    var outputs: [RoomOutput] = []

    init() {
      for kind in ["audio", "video"] { offer.add(kind) }
      room.join("ann", [.publish, .subscribe], traits: SingleConnectionTests.traits)
      outputs = room.settle()
    }

    mutating func sendOffer(_ tracks: [NewTrack] = []) throws {
      try room.call(.publish(PublishParams(sdp: offer.sdp, tracks: tracks)), by: "ann")
      outputs = room.settle()
    }

    /// Publishes a sound and a picture of another user.
    mutating func publish(_ user: UserID) throws {
      try room.publish(user, [.publish], width: 320, height: 180)
      outputs = room.settle()
    }

    var answer: ConnectionAnswer? {
      outputs.lazy.compactMap { output in
        guard case .answer(_, _, .success(let value)) = output else { return nil }
        return value as? ConnectionAnswer
      }.first
    }

    var requests: [LineRequest] {
      outputs.compactMap { if case .deliver(.needsOffer(let request), _) = $0 { request } else { nil } }
    }

    var orders: [MediaOrder] { outputs.compactMap { if case .media(let order) = $0 { order } else { nil } } }

    /// The transports of the subscriptions that started.
    var subscribed: [TransportID] {
      orders.compactMap { if case .subscribe(_, _, let transport, _, _) = $0 { transport } else { nil } }
    }

    var opened: [TransportID] { orders.compactMap { if case .open(let id, _, _) = $0 { id } else { nil } } }
    var closed: [TransportID] { orders.compactMap { if case .close(let id) = $0 { id } else { nil } } }
    var unsubscribed: Int { orders.count { if case .unsubscribe = $0 { true } else { false } } }
  }

  @Test("one transport publishes and receives; the answer has the tracks of others") func join() throws {
    var scene = Scene()
    let transport = try #require(scene.opened.first)
    #expect(scene.opened.count == 1 && scene.requests.isEmpty)
    try scene.publish("bob")
    #expect(scene.requests.isEmpty, "its first offer comes by itself")
    scene.offer.add("audio", "sendonly")
    try scene.sendOffer([NewTrack(mid: "2", kind: .audio, trackId: "TR_own")])
    let answer = try #require(scene.answer)
    #expect(answer.published.tracks.map(\.track.trackId) == ["TR_own"] && Set(answer.received.map(\.mid)) == ["0", "1"])
    #expect(answer.received.allSatisfy { $0.userId == "bob" } && answer.published.sdp.contains("a=sendonly"))
    #expect(scene.opened.isEmpty && scene.subscribed == [transport, transport] && scene.requests.isEmpty)
    scene.room.core.leave("ann")
    scene.outputs = scene.room.settle()
    #expect(scene.closed == [transport])
  }

  @Test("a track without an m-line makes the room ask for one, once") func lines() throws {
    var scene = Scene()
    try scene.sendOffer()
    try scene.publish("bob")
    #expect(scene.requests == [LineRequest(audio: 0, video: 0)], "the first two m-lines are free")
    try scene.publish("eve")
    #expect(scene.requests.isEmpty)
    try scene.sendOffer()
    #expect(scene.subscribed.count == 2 && scene.requests == [LineRequest(audio: 1, video: 1)])
    for kind in ["audio", "video"] { scene.offer.add(kind) }
    try scene.sendOffer()
    #expect(scene.subscribed.count == 2 && scene.answer?.received.count == 4 && scene.requests.isEmpty)
  }

  @Test("a track for which the connection would have too many m-lines is not received, and the client is informed")
  func tooMany() throws {
    var scene = Scene()
    for _ in 0..<62 { scene.offer.add("audio", "inactive") }
    try scene.publish("bob")
    try scene.sendOffer()
    #expect(scene.subscribed.count == 2)
    try scene.publish("eve")
    #expect(scene.requests == [LineRequest(audio: 0, video: 0)])
    try scene.sendOffer()
    let failed = scene.outputs.compactMap {
      if case .send(.subscribeFailed(let data), _) = $0 { data.trackIds.count } else { nil }
    }
    #expect(failed == [1, 1] && scene.requests.isEmpty && scene.subscribed.isEmpty)
  }

  @Test("a track that ends is ended at once, and the client is asked for an offer whose answer says so") func ended() throws {
    var scene = Scene()
    try scene.publish("bob")
    try scene.sendOffer()
    scene.room.core.leave("bob")
    scene.outputs = scene.room.settle()
    #expect(scene.unsubscribed == 2 && scene.requests == [LineRequest(audio: 0, video: 0)])
    try scene.sendOffer()
    #expect(scene.answer?.received.isEmpty == true && scene.requests.isEmpty)
    #expect(scene.answer?.published.sdp.contains("a=sendonly") == false)
  }

  @Test("a track that is received again before the client learns of its end begins anew, on other SSRCs") func again() throws {
    var scene = Scene()
    try scene.publish("bob")
    try scene.sendOffer()
    func ssrcs() -> Set<SSRC> {
      Set(scene.orders.compactMap { if case .subscribe(_, _, _, let sent, _) = $0 { sent.encodings.first?.ssrc } else { nil } })
    }
    let first = ssrcs()
    let bob = TrackSelection(userIds: ["bob"])
    try scene.room.call(.unsubscribe(bob), by: "ann")
    _ = scene.room.settle()
    try scene.room.call(.subscribe(bob), by: "ann")
    _ = scene.room.settle()
    try scene.sendOffer()
    #expect(first.count == 2 && ssrcs().count == 2 && first.isDisjoint(with: ssrcs()))
    #expect(Set(scene.answer?.received.map(\.mid) ?? []) == ["0", "1"])
  }

  @Test("a resumed client restarts ICE by its own offer, and keeps what it receives") func resume() throws {
    var scene = Scene()
    let transport = try #require(scene.opened.first)
    try scene.publish("bob")
    try scene.sendOffer()
    try scene.room.lose("ann")
    _ = scene.room.settle()
    scene.room.join("ann", [.publish, .subscribe], traits: Self.traits, resumes: true)
    scene.outputs = scene.room.settle()
    #expect(scene.orders.isEmpty && scene.requests.isEmpty)
    scene.offer.ufrag = "again"
    try scene.sendOffer()
    let restarts = scene.orders.compactMap { if case .restart(let id, _) = $0 { id } else { nil } }
    #expect(restarts == [transport] && scene.answer?.received.count == 2 && scene.subscribed.isEmpty)
  }

  @Test("a lost request for an offer is repeated to a resumed client") func repeated() throws {
    var scene = Scene()
    try scene.sendOffer()
    try scene.publish("bob")
    #expect(scene.requests.count == 1)
    try scene.room.lose("ann")
    _ = scene.room.settle()
    scene.room.join("ann", [.publish, .subscribe], traits: Self.traits, resumes: true)
    scene.outputs = scene.room.settle()
    #expect(scene.requests.count == 1)
  }

  @Test("a client whose connection is lost has to begin anew") func lost() throws {
    var scene = Scene()
    let transport = try #require(scene.opened.first)
    try scene.room.lose("ann")
    scene.room.core.handle(.transportFailed(transport, .timeout))
    scene.outputs = scene.room.settle()
    #expect(scene.closed == [transport] && scene.room.core.returning("ann") == nil)
    #expect(scene.room.core.roster["ann"]?.publishing == nil && scene.room.core.roster["ann"]?.receiving.transport == nil)
  }
}
