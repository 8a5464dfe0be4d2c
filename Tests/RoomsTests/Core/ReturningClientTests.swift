import RoomProtocol
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

@Suite("Clients that keep their transports, in virtual time")
struct ReturningClientTests {
  private final class Memory: Sendable {}

  private static let grants: Grants = [.publish, .subscribe]
  private static let offer = """
    v=0\r
    o=- 1 1 IN IP4 0.0.0.0\r
    s=-\r
    t=0 0\r
    a=group:BUNDLE 0\r
    a=fingerprint:sha-256 \(Array(repeating: "AA", count: 32).joined(separator: ":"))\r
    a=setup:actpass\r
    a=ice-ufrag:USER\r
    a=ice-pwd:passwordOf24Characters00\r
    m=audio 9 UDP/TLS/RTP/SAVPF 111\r
    c=IN IP4 0.0.0.0\r
    a=mid:0\r
    a=sendonly\r
    a=rtcp-mux\r
    a=rtpmap:111 opus/48000/2\r
    a=ssrc:1 cname:c\r

    """

  /// A room with one client, which receives and publishes.
  private struct Scene {
    var room = VirtualRoom()
    let memory = Memory()
    var connection: ConnectionID
    var session: SessionID = ""
    var outputs: [RoomOutput] = []

    init() throws {
      connection = room.newConnection()
      let joined = join()
      session = try #require(joined)
      outputs = room.settle()
    }

    /// Joins, or resumes a session.
    mutating func join(resuming old: SessionID? = nil, _ grants: Grants = ReturningClientTests.grants) -> SessionID? {
      connection = room.newConnection()
      let joined = room.core.join(
        room.token("ann", grants), JoinParams(token: "", resume: old), request: 1, on: connection,
        traits: [.opensReceiving, .choosesTrackIDs, .keepsTransports], memory: memory)
      if case .joined(let session) = joined { return session }
      return nil
    }

    mutating func publish(_ ufrag: String, tracks: [NewTrack] = []) {
      let params = PublishParams(sdp: ReturningClientTests.offer.replacing("USER", with: ufrag), tracks: tracks)
      _ = room.core.handle(SignalRequest(id: 2, call: .publish(params)), session: session, of: "ann", on: connection)
      outputs = room.settle()
    }

    mutating func fail(_ failure: MediaEvent) {
      room.core.handle(failure)
      outputs = room.settle()
    }

    mutating func lose() {
      room.core.connectionLost(session, of: "ann", connection)
      outputs = room.settle()
    }

    var offers: [OfferData] {
      outputs.compactMap { if case .send(.offer(let offer), _) = $0 { offer } else { nil } }
    }

    var restarts: [(transport: TransportID, credentials: ICECredentials)] {
      outputs.compactMap { if case .media(.restart(let id, let credentials)) = $0 { (id, credentials) } else { nil } }
    }

    var opened: [TransportID] {
      outputs.compactMap { if case .media(.open(let id, _, _)) = $0 { id } else { nil } }
    }

    var ended: EndReason? {
      outputs.lazy.compactMap { if case .end(_, let ended) = $0 { ended.reason } else { nil } }.first
    }
  }

  @Test("a resumed client is offered new credentials on the same transport, instead of an offer that it may not have received")
  func resume() throws {
    var scene = try Scene()
    let (first, transport) = (try #require(scene.offers.first), try #require(scene.opened.first))
    scene.lose()
    #expect(scene.room.core.returning("ann")?.memory === scene.memory)
    let resumed = scene.join(resuming: scene.session)
    #expect(resumed == scene.session)
    scene.outputs = scene.room.settle()
    let (second, restart) = (try #require(scene.offers.first), try #require(scene.restarts.first))
    #expect(scene.offers.count == 1 && second.offer == first.offer + 1 && second.restart != true)
    #expect(restart.transport == transport && second.sdp.contains("a=ice-ufrag:\(restart.credentials.ufrag)"))
    #expect(!first.sdp.contains(restart.credentials.ufrag) && scene.opened.isEmpty)
    let welcome = scene.outputs.contains { if case .welcome(_, _, let result) = $0 { result.resumed } else { false } }
    #expect(welcome)
  }

  @Test("after many restarts of ICE a client has to begin anew") func restarts() throws {
    var scene = try Scene()
    for _ in 0..<60 {
      #expect(scene.room.core.returning("ann") != nil)
      _ = scene.join(resuming: scene.session)
      _ = scene.room.settle()
    }
    #expect(scene.room.core.returning("ann") == nil)
  }

  @Test("an offer with other credentials is answered with new ones; one with the same is not") func publisher() throws {
    var scene = try Scene()
    scene.publish("first", tracks: [NewTrack(mid: "0", kind: .audio, trackId: "TR_1")])
    let transport = try #require(scene.opened.first)
    scene.publish("first")
    #expect(scene.restarts.isEmpty)
    scene.publish("other")
    let restart = try #require(scene.restarts.first)
    #expect(restart.transport == transport && scene.restarts.count == 1)
    let answer = scene.outputs.lazy.compactMap { output -> PublishResult? in
      guard case .answer(_, _, .success(let value)) = output else { return nil }
      return value as? PublishResult
    }.first
    #expect(answer?.sdp.contains("a=ice-ufrag:\(restart.credentials.ufrag)") == true)
    #expect(scene.room.core.roster["ann"]?.tracks.map(\.info.trackId) == ["TR_1"])
  }

  @Test("one that lost a transport can't resume; while it is connected, it is told to begin anew") func lostTransport() throws {
    var scene = try Scene()
    let transport = try #require(scene.opened.first)
    scene.lose()
    scene.fail(.transportFailed(transport, .timeout))
    #expect(scene.room.core.returning("ann") == nil && scene.ended == nil && scene.room.core.roster["ann"] != nil)
    let old = scene.session
    let next = scene.join(resuming: old)
    #expect(next != old)
    scene.session = try #require(scene.room.core.roster["ann"]?.session)
    scene.outputs = scene.room.settle()
    scene.fail(.transportFailed(try #require(scene.opened.first), .timeout))
    #expect(scene.ended == .timedOut && scene.room.core.roster["ann"] == nil)
  }

  @Test("one that begins anew keeps its seat; not with other grants") func seat() throws {
    var scene = try Scene()
    func take() {
      let call = SignalRequest(id: 2, call: .seats(.take(SeatParams(index: 1))))
      _ = scene.room.core.handle(call, session: scene.session, of: "ann", on: scene.connection)
      _ = scene.room.settle()
    }
    take()
    #expect(scene.room.core.state.seat(of: "ann") != nil)
    let again = scene.join()
    scene.session = try #require(again)
    scene.outputs = scene.room.settle()
    #expect(scene.ended == .duplicateLogin && scene.room.core.state.seat(of: "ann")?.index == 1)
    let other = scene.join([.subscribe])
    scene.session = try #require(other)
    #expect(scene.room.core.state.seat(of: "ann") == nil)
  }
}
