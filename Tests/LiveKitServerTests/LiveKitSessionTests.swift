import Foundation
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU
import RoomToken
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("LiveKit's clients: a conversation without sockets")
struct LiveKitSessionTests {
  private static let now: Int64 = 1_800_000_000_000

  /// A session with what it said so far.
  private struct Conversation {
    var session: LiveKitSession
    var sent: [LiveKit.SignalResponse.Content] = []
    var calls: [(id: Int, call: SignalCall)] = []
    var changes: [LiveKit.UpdateParticipantMetadata] = []
    var actions: [LiveKitDataAction] = []
    var subscribers: [SubscriptionPermissions] = []
    var isClosed = false

    mutating func drain() {
      for output in session.takeOutputs() {
        switch output {
        case .send(let message): sent.append(message)
        case .call(let id, let call): calls.append((id, call))
        case .changeProfile(let params): changes.append(params)
        case .data(let action): actions.append(action)
        case .setSubscribers(let permissions): subscribers.append(permissions)
        case .close: isClosed = true
        }
      }
    }

    mutating func receive(_ message: LiveKit.SignalRequest.Content) {
      session.receive(LiveKit.SignalRequest { $0.message = message }, at: LiveKitSessionTests.now)
      drain()
    }

    mutating func receive(_ delivery: RoomDelivery) {
      session.receive(delivery, at: LiveKitSessionTests.now)
      drain()
    }

    mutating func receive(_ event: SignalEvent) { receive(.event(event)) }

    /// Returns what it said since the last call.
    mutating func take() -> [LiveKit.SignalResponse.Content] {
      defer { sent = [] }
      return sent
    }
  }

  private func begin(
    _ client: LiveKitClient = LiveKitClient(), _ adjust: (inout LiveKitToken) -> Void = { _ in }
  ) throws -> Conversation {
    var token = LiveKitToken(
      key: "key", identity: ForeignName("ann+x"), expires: Date(timeIntervalSince1970: 1_800_000_100))
    token.grants.roomJoin = true
    token.grants.room = ForeignName("a room")
    (token.name, token.metadata, token.attributes) = ("Ann", "m", ["seat": "2"])
    adjust(&token)
    let keys = try TokenKeys(["key": "0123456789abcdef0123456789abcdef"])
    let session = LiveKitSession(token, client, newTrackID: { "TR_own" }, sign: { try? keys.sign($0) })
    return Conversation(session: session)
  }

  private static let me = ParticipantInfo(
    userId: ":ann:2Bx", grants: [.publish, .subscribe], joinedAt: 7000,
    profile: ParticipantProfile(name: "Ann", metadata: "m", attributes: ["seat": "2"]))

  private func welcome(
    resumed: Bool = false, me: ParticipantInfo = me, participants: [ParticipantInfo] = [bob]
  ) -> RoomDelivery {
    .welcome(
      request: 0,
      JoinResult(
        sessionId: "s", resumed: resumed,
        room: RoomSnapshot(name: ":a:20room", createdAt: 3000, attributes: ["metadata": "first"]), me: me,
        participants: participants, limits: RoomLimits(), pingInterval: 10_000,
        iceServers: [ICEServer(urls: ["turn:t"], username: "u", credential: "c")]))
  }

  private static let track = TrackInfo(trackId: "TR_1", kind: .video, tag: "screen", codec: .vp8, width: 1280, height: 720)
  private static let bob = ParticipantInfo(userId: "bob", grants: [.publish, .subscribe], joinedAt: 5000, tracks: [track])

  private func joined(
    _ client: LiveKitClient = LiveKitClient(), _ adjust: (inout LiveKitToken) -> Void = { _ in }
  ) throws -> Conversation {
    var conversation = try begin(client, adjust)
    _ = conversation.session.begin()
    conversation.receive(welcome())
    return conversation
  }

  @Test("the first message has what clients need, and a new token follows") func welcome() throws {
    var conversation = try joined()
    let sent = conversation.take()
    guard case .join(let join) = sent.first, case .refreshToken(let text) = sent.last, sent.count == 2 else {
      Issue.record("\(sent)")
      return
    }
    #expect(join.room?.sid.hasPrefix("RM_") == true && join.room?.name == "a room" && join.room?.numParticipants == 2)
    #expect(join.room?.metadata == "first")
    #expect(join.participant?.sid.hasPrefix("PA_") == true && join.participant?.identity == "ann+x")
    #expect(join.participant?.state == .active && join.participant?.permission?.canPublish == true)
    #expect(join.participant?.name == "Ann" && join.participant?.attributes == ["seat": "2"])
    #expect(join.participant?.version == 1 && join.participant?.joinedAt == 7)
    #expect(join.subscriberPrimary && join.fastPublish && join.pingInterval == 5 && join.pingTimeout == 15)
    #expect(join.serverInfo?.version.isEmpty == false && !join.serverVersion.isEmpty)
    #expect(join.iceServers.first?.credential == "c" && join.enabledPublishCodecs.count == 5)
    let other = try #require(join.otherParticipants.first)
    #expect(other.identity == "bob" && other.tracks.first?.sid == "TR_1" && other.tracks.first?.source == .screenShare)
    #expect(other.tracks.first?.mimeType == "video/VP8")
    // It outlives the one of the join.
    let keys = try TokenKeys(["key": "0123456789abcdef0123456789abcdef"])
    let next = try keys.verifyLiveKit(text, now: Date(timeIntervalSince1970: 1_800_000_500))
    #expect(next.identity?.text == "ann+x" && next.grants.roomJoin)
  }

  @Test("a client that is moved learns who is gone, its next room and its token; it resumes by its first sid too")
  func moved() throws {
    var conversation = try joined()
    let first = conversation.session.firstSID
    conversation.session.move()
    conversation.receive(.joined(ParticipantInfo(userId: "dan", grants: .subscribe, joinedAt: 6000)))
    _ = conversation.take()
    let cat = ParticipantInfo(userId: "cat", grants: .publish, joinedAt: 8000)
    let room = RoomSnapshot(name: "other", createdAt: 4000)
    conversation.receive(
      .welcome(
        request: 0,
        JoinResult(
          sessionId: "t", resumed: false, room: room, me: Self.me, participants: [cat], limits: RoomLimits(),
          pingInterval: 10_000)))
    let sent = conversation.take()
    guard case .update(let left) = sent.first, case .roomMoved(let moved) = sent.last, sent.count == 2 else {
      Issue.record("\(sent)")
      return
    }
    #expect(left.participants.map(\.identity) == ["bob", "dan"] && left.participants.allSatisfy { $0.state == .disconnected })
    #expect(moved.room?.name == "other" && moved.otherParticipants.map(\.identity) == ["cat"])
    #expect(moved.participant?.identity == "ann+x" && moved.participant?.sid != first && !first.isEmpty)
    let keys = try TokenKeys(["key": "0123456789abcdef0123456789abcdef"])
    let token = try keys.verifyLiveKit(moved.token, now: Date(timeIntervalSince1970: 1_800_000_500))
    #expect(token.grants.room == ForeignName("other"))
    #expect(conversation.session.firstSID == first && conversation.session.token.grants.room == ForeignName("other"))
  }

  private func rpc(_ method: String, _ payload: String = "") -> RoomDelivery {
    let request = LiveKit.RPCRequest { ($0.id, $0.method, $0.payload) = ("7", method, payload) }
    let packet = LiveKit.DataPacket { ($0.destinationIdentities, $0.value) = (["@room"], .rpcRequest(request)) }
    return .message(DataMessage(label: "_reliable", isReliable: true, payload: packet.protobuf))
  }

  /// Returns the packets that were sent to the client since the last call.
  private func packets(_ conversation: inout Conversation) throws -> [LiveKit.DataPacket.Value] {
    defer { conversation.actions = [] }
    return try conversation.actions.compactMap { action in
      guard case .send(let message) = action else { return nil }
      return try LiveKit.DataPacket(protobuf: message.payload).value
    }
  }

  @Test("a call of the room by RPC is acknowledged, made, and answered with its result or the stable code")
  func roomCalls() throws {
    var conversation = try joined()
    conversation.receive(rpc("takeSeat", #"{"index": 1}"#))
    guard case .call(let number, .seats) = conversation.actions.last else {
      Issue.record("\(conversation.actions)")
      return
    }
    #expect(try packets(&conversation) == [.rpcAck(LiveKit.RPCAck { $0.requestID = "7" })])
    conversation.receive(.answer(request: number, .success(["index": 1])))
    let result = LiveKit.RPCResponse { ($0.requestID, $0.value) = ("7", .payload(#"{"index":1}"#)) }
    #expect(try packets(&conversation) == [.rpcResponse(result)])
    conversation.receive(rpc("leave"))
    guard case .rpcResponse(let refusal) = try packets(&conversation).last, case .error(let error) = refusal.value else {
      Issue.record("no answer")
      return
    }
    #expect(error.code == 10001 && !conversation.isClosed)
    conversation.receive(rpc("getState"))
    guard case .readState(rpc: "7") = conversation.actions.last else {
      Issue.record("\(conversation.actions)")
      return
    }
  }

  @Test("a seat is an attribute of its participant, and its change an event") func seats() throws {
    var conversation = try joined()
    _ = conversation.take()
    func change(_ user: UserID?) {
      let data = SeatChangedData(seat: SeatInfo(index: 3, userId: user), cause: .taken, userId: user, by: "")
      conversation.receive(.changed(NumberedChange(seq: 5, change: .seatChanged(data))))
    }
    func seat() -> [String?] {
      conversation.take().compactMap { message in
        if case .update(let update) = message { update.participants.first?.attributes["seat"] } else { nil }
      }
    }
    change("bob")
    #expect(seat() == ["3"])
    guard case .user(let event) = try packets(&conversation).first else {
      Issue.record("no event")
      return
    }
    #expect(event.topic == "room" && String(decoding: event.payload, as: UTF8.self).contains(#""event":"seatChanged""#))
    change(nil)
    #expect(seat() == [nil])
  }

  @Test("the room's attribute `metadata` is its metadata") func roomMetadata() throws {
    var conversation = try joined()
    _ = conversation.take()
    func change(_ set: [String: String], removed: [String] = []) -> [LiveKit.SignalResponse.Content] {
      let data = AttributesChangedData(set: set, removed: removed, by: "")
      conversation.receive(.changed(NumberedChange(seq: 1, change: .attributesChanged(data))))
      return conversation.take()
    }
    #expect(change(["topic": "x"]).isEmpty)
    for (metadata, changes) in [("m", change(["metadata": "m"])), ("", change([:], removed: ["metadata"]))] {
      guard case .roomUpdate(let update) = changes.first, changes.count == 1 else {
        Issue.record("\(changes)")
        continue
      }
      #expect(update.room?.metadata == metadata && update.room?.name == "a room" && update.room?.numParticipants == 2)
    }
  }

  @Test("a client whose session is gone connects anew; one that is too old is refused") func notJoined() throws {
    var conversation = try begin()
    conversation.session.refuseToResume()
    conversation.drain()
    #expect(conversation.take() == [.leave(LiveKit.LeaveRequest(.stateMismatch, .reconnect))] && conversation.isClosed)
    var old = LiveKitClient()
    old.protocolNumber = 8
    conversation = try begin(old)
    #expect(conversation.session.begin() == nil)
    conversation.drain()
    #expect(conversation.take() == [.leave(LiveKit.LeaveRequest(.joinFailure, .disconnect))])
  }

  /// Loses the connection of a conversation, and continues it on another.
  private func resume(_ conversation: inout Conversation) -> Int? {
    (conversation.sent, conversation.calls) = ([], [])
    return conversation.session.resume(conversation.session.token, conversation.session.client)
  }

  @Test("a client that resumes learns first that it does, then all that may have changed") func resume() throws {
    var conversation = try joined()
    conversation.receive(.joined(ParticipantInfo(userId: "carl", grants: [.subscribe], joinedAt: 6000)))
    conversation.receive(
      .changed(
        NumberedChange(
          seq: 7, change: .attributesChanged(AttributesChangedData(set: ["metadata": "x"], removed: [], by: "bob")))))
    let old = conversation.take().compactMap { if case .update(let update) = $0 { update.participants.first } else { nil } }
    #expect(resume(&conversation) == 7)
    // Carl left meanwhile, bob left and joined again, and dora joined.
    let again = ParticipantInfo(userId: "bob", grants: [.publish, .subscribe], joinedAt: 9000)
    let dora = ParticipantInfo(userId: "dora", grants: [.subscribe], joinedAt: 9500)
    conversation.receive(welcome(resumed: true, participants: [again, dora]))
    let sent = conversation.take()
    guard case .reconnect(let reconnect) = sent.first, case .update(let update) = sent.dropFirst().first,
      case .roomUpdate(let room) = sent.dropFirst(2).first, case .refreshToken = sent.last, sent.count == 4
    else {
      Issue.record("\(sent)")
      return
    }
    #expect(reconnect.serverInfo?.version.isEmpty == false && reconnect.iceServers.count == 1 && reconnect.lastMessageSeq == 0)
    #expect(room.room?.metadata == "first" && room.room?.numParticipants == 3)
    let shown = update.participants.map { "\($0.identity) \($0.state == .disconnected ? "left" : "here")" }
    #expect(shown == ["bob left", "carl left", "ann+x here", "bob here", "dora here"])
    let carl = try #require(old.first { $0.identity == "carl" })
    #expect(update.participants[1].sid == carl.sid && update.participants[1].version > carl.version)
    #expect(update.participants[0].sid != update.participants[3].sid)
    #expect(update.participants[2].version > 1, "clients ignore older versions")
  }

  @Test("a session that ended while its client was on the way is not resumed: the client connects anew") func tooLate() throws {
    var conversation = try joined()
    #expect(resume(&conversation) == nil)
    conversation.receive(welcome(resumed: false))
    #expect(conversation.sent.first == .leave(LiveKit.LeaveRequest(.stateMismatch, .reconnect)) && conversation.isClosed)
    guard case .leave = conversation.calls.last?.call else {
      Issue.record("\(conversation.calls)")
      return
    }
  }

  @Test(
    "what a client that resumed says of itself is compared: it connects anew for a track that ended, and subscriptions apply")
  func synchronise() throws {
    func state(_ published: String) -> LiveKit.SignalRequest.Content {
      .syncState(
        LiveKit.SyncState {
          $0.publishTracks = [
            LiveKit.TrackPublishedResponse { $0.track = LiveKit.TrackInfo { [published] in $0.sid = published } }
          ]
          $0.subscription = LiveKit.UpdateSubscription { $0.trackSIDs = ["TR_1", "TR_gone"] }
        })
    }
    var conversation = try joined()
    #expect(resume(&conversation) == nil)
    var me = Self.me
    me.tracks = [TrackInfo(trackId: "TR_own", kind: .audio, tag: "microphone", codec: .opus)]
    conversation.receive(welcome(resumed: true, me: me))
    conversation.receive(state("TR_own"))
    guard case .unsubscribe(let selection) = conversation.calls.last?.call else {
      Issue.record("\(conversation.calls)")
      return
    }
    #expect(selection.trackIds == ["TR_1"] && !conversation.isClosed)
    conversation.receive(state("TR_other"))
    #expect(conversation.sent.last == .leave(LiveKit.LeaveRequest(.stateMismatch, .reconnect)) && conversation.isClosed)
  }

  @Test("an offer whose answer was lost with the connection counts as answered if the room has its tracks") func lostAnswer()
    throws
  {
    var conversation = try joined()
    conversation.receive(
      .addTrack(LiveKit.AddTrackRequest { ($0.cid, $0.type, $0.source) = ("mic", .audio, .microphone) }))
    let description = offer("m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=sendonly\r\na=msid:- mic\r\n")
    conversation.receive(.offer(description))
    _ = resume(&conversation)
    var me = Self.me
    me.tracks = [TrackInfo(trackId: "TR_own", kind: .audio, tag: "microphone", codec: .opus)]
    conversation.receive(welcome(resumed: true, me: me))
    conversation.receive(.offer(description))
    guard case .publish(let params) = conversation.calls.last?.call else {
      Issue.record("\(conversation.calls)")
      return
    }
    #expect(params.tracks.isEmpty, "the track is published already")
  }

  @Test("pings of both kinds are answered") func pings() throws {
    var conversation = try joined()
    _ = conversation.take()
    conversation.receive(.ping(1))
    conversation.receive(.pingReq(LiveKit.Ping { $0.timestamp = 77 }))
    let pong = LiveKit.Pong {
      $0.lastPingTimestamp = 77
      $0.timestamp = Self.now
    }
    #expect(conversation.take() == [.pong(Self.now), .pongResp(pong)])
  }

  private func offer(_ lines: String) -> LiveKit.SessionDescription {
    LiveKit.SessionDescription {
      $0.type = "offer"
      $0.id = 9
      $0.sdp = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n" + lines
    }
  }

  @Test("a track gets its id at once, its m-line by its cid, and the answer the number of the offer") func publishing() throws {
    var conversation = try joined()
    _ = conversation.take()
    conversation.receive(
      .addTrack(
        LiveKit.AddTrackRequest {
          $0.cid = "cam"
          $0.name = "picture"
          $0.type = .video
          $0.source = .camera
          $0.width = 640
          $0.height = 360
        }))
    guard case .trackPublished(let published) = conversation.take().first else {
      Issue.record("no answer")
      return
    }
    #expect(published.cid == "cam" && published.track?.sid == "TR_own" && published.track?.name == "picture")
    conversation.receive(
      .offer(
        offer(
          "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=recvonly\r\n"
            + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\na=msid:- cam\r\na=sendonly\r\n")))
    guard case .publish(let params) = conversation.calls.last?.call, let id = conversation.calls.last?.id else {
      Issue.record("no call")
      return
    }
    let new = NewTrack(
      mid: "1", kind: .video, tag: "camera", muted: false, trackId: "TR_own", width: 640, height: 360, name: "picture")
    #expect(params.tracks == [new])
    conversation.receive(.answer(request: id, .success(PublishResult(sdp: "answer", tracks: []))))
    let answer = LiveKit.SessionDescription {
      $0.type = "answer"
      $0.sdp = "answer"
      $0.id = 9
    }
    #expect(conversation.take() == [.answer(answer)])
    // The next offer does not publish it again.
    conversation.receive(.offer(offer("m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\na=msid:- cam\r\na=sendonly\r\n")))
    guard case .publish(let again) = conversation.calls.last?.call else { return }
    #expect(again.tracks.isEmpty)
  }

  @Test("a second codec of a track is asked for by name, and its m-line is no track of its own") func backup() throws {
    var conversation = try joined()
    _ = conversation.take()
    func codec(_ name: String, _ cid: String) -> LiveKit.SimulcastCodec { .init { ($0.codec, $0.cid) = (name, cid) } }
    conversation.receive(
      .addTrack(
        LiveKit.AddTrackRequest {
          ($0.cid, $0.type, $0.source) = ("cam", .video, .camera)
          $0.simulcastCodecs = [codec("vp9", "cam"), codec("video/VP8", ""), codec("vp9", "")]
        }))
    let video = "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98\r\na=sendonly\r\na=rtpmap:96 VP8/90000\r\na=rtpmap:98 VP9/90000\r\n"
    conversation.receive(.offer(offer(video + "a=mid:1\r\na=msid:- cam\r\n")))
    guard case .publish(let params) = conversation.calls.last?.call, let id = conversation.calls.last?.id else {
      Issue.record("no call")
      return
    }
    #expect(params.tracks.first?.backups == [.vp8] && params.backups.isEmpty)
    #expect(params.sdp.contains("m=video 9 UDP/TLS/RTP/SAVPF 98 96 97\r\n"), "the client lets the server select the codec")
    var track = TrackInfo(trackId: "TR_own", kind: .video, tag: "camera", codec: .vp9)
    track.backups = [.vp8]
    conversation.receive(
      .answer(request: id, .success(PublishResult(sdp: "", tracks: [PublishedTrackInfo(mid: "1", track: track)]))))
    _ = conversation.take()

    conversation.receive(.codecsWanted("TR_own", [WantedCodec(.vp9, layers: ["q"]), WantedCodec(.vp8, layers: nil)]))
    guard case .subscribedQualityUpdate(let update) = conversation.take().first else {
      Issue.record("no update")
      return
    }
    #expect(update.trackSID == "TR_own" && update.subscribedCodecs.map(\.codec) == ["vp9", "vp8"])
    #expect(update.subscribedCodecs.map { $0.qualities.map(\.enabled) } == [[true, false, false], [true, true, true]])

    conversation.receive(
      .addTrack(
        LiveKit.AddTrackRequest {
          ($0.cid, $0.type, $0.source, $0.sid) = ("clone", .video, .camera, "TR_own")
          $0.simulcastCodecs = [codec("vp8", "clone")]
        }))
    guard case .trackPublished(let published) = conversation.take().first, let info = published.track else {
      Issue.record("no answer")
      return
    }
    #expect(published.cid == "clone" && info.sid == "TR_own" && info.mimeType == "video/VP9" && info.mid == "1")
    #expect(info.codecs.map(\.mimeType) == ["video/VP9", "video/VP8"] && info.codecs.map(\.cid) == ["cam", "clone"])
    let both = video + "a=mid:1\r\na=msid:- cam\r\n" + video + "a=mid:2\r\na=msid:- clone\r\n"
    conversation.receive(.offer(offer(both)))
    guard case .publish(let second) = conversation.calls.last?.call, let id = conversation.calls.last?.id else { return }
    #expect(second.tracks.isEmpty && second.backups == [BackupLine(mid: "2", trackId: "TR_own")])
    conversation.receive(.answer(request: id, .success(PublishResult(sdp: "", tracks: []))))
    _ = conversation.take()
    conversation.receive(.muteChanged(MuteData(userId: "bob", trackId: "TR_1", muted: true, by: "bob")))
    conversation.receive(.profileChanged(ProfileData(userId: ":ann:2Bx", profile: ParticipantProfile(name: "Ann"))))
    guard case .update(let own) = conversation.take().last, let shown = own.participants.first?.tracks else { return }
    #expect(shown.count == 1 && shown.first?.codecs.map(\.mid) == ["1", "2"])
    // Its m-line ends without the track, and another one does not begin.
    conversation.receive(.offer(offer(video + "a=mid:1\r\na=msid:- cam\r\n")))
    guard case .publish(let third) = conversation.calls.last?.call else { return }
    #expect(third.tracks.isEmpty && third.backups.isEmpty)
    conversation.receive(.addTrack(LiveKit.AddTrackRequest { ($0.cid, $0.type, $0.sid) = ("x", .video, "TR_other") }))
    guard case .requestResponse(let refusal) = conversation.take().last else { return }
    #expect(refusal.reason == .notFound)
  }

  @Test("a track that the token does not permit is refused") func notPermitted() throws {
    var conversation = try joined { $0.grants.canPublishSources = [.microphone] }
    _ = conversation.take()
    conversation.receive(.addTrack(LiveKit.AddTrackRequest { $0.source = .camera }))
    guard case .requestResponse(let response) = conversation.take().first else {
      Issue.record("no answer")
      return
    }
    #expect(response.reason == .notAllowed && conversation.calls.isEmpty)
  }

  @Test("an offer names participants and tracks as clients read them, and its answer is passed on") func subscribing() throws {
    var conversation = try joined()
    _ = conversation.take()
    let data = OfferData(
      offer: 3, sdp: "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:4\r\na=msid:bob TR_1\r\n",
      tracks: [OfferedTrack(mid: "4", userId: "bob", trackId: "TR_1")], restart: false)
    conversation.receive(.offer(data))
    guard case .offer(let offer) = conversation.take().first else {
      Issue.record("no offer")
      return
    }
    let sid = LiveKitID.participant("bob", joinedAt: 5000, in: ":a:20room")
    #expect(offer.id == 3 && offer.sdp.contains("a=msid:\(sid)|TR_1 TR_1\r\n"))
    conversation.receive(.answer(LiveKit.SessionDescription { $0.sdp = "answer" }))
    guard case .answer(let params) = conversation.calls.last?.call else { return }
    #expect(params == AnswerParams(offer: 3, sdp: "answer"))
  }

  @Test("a client with a single connection is answered with what it receives, and asked for offers") func single() throws {
    let offer = "v=0\r\no=- 1 1 IN IP4 0\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=recvonly\r\n"
    var client = LiveKitClient(
      LiveKit.JoinRequest {
        $0.clientInfo = LiveKit.ClientInfo { $0.protocolNumber = 17 }
        $0.addTrackRequests = [LiveKit.AddTrackRequest { ($0.cid, $0.type) = ("cid", .audio) }]
        $0.publisherOffer = LiveKit.SessionDescription { ($0.type, $0.sdp, $0.id) = ("offer", offer, 5) }
      })
    var conversation = try joined(client)
    let first = conversation.take()
    guard case .join(let join) = first.first, case .trackPublished(let published) = first.dropFirst().first else {
      Issue.record("\(first)")
      return
    }
    #expect(!join.subscriberPrimary && published.cid == "cid")
    let (id, call) = try #require(conversation.calls.first)
    guard case .publish(let params) = call else {
      Issue.record("\(call)")
      return
    }
    #expect(params.sdp == offer && params.tracks.isEmpty)
    let answer = ConnectionAnswer(
      published: PublishResult(sdp: "v=0\r\nm=audio 9 X 111\r\na=mid:0\r\na=msid:bob TR_1\r\n", tracks: []),
      received: [OfferedTrack(mid: "0", userId: "bob", trackId: "TR_1")])
    conversation.receive(.answer(request: id, .success(answer)))
    guard case .answer(let description) = conversation.take().last else {
      Issue.record("no answer")
      return
    }
    #expect(description.id == 5 && description.type == "answer" && description.midToTrackID == ["0": "TR_1"])
    #expect(description.sdp.contains("a=msid:\(join.otherParticipants[0].sid)|TR_1 TR_1\r\n"))
    conversation.receive(.needsOffer(LineRequest(audio: 1, video: 2)))
    guard case .mediaSectionsRequirement(let lines) = conversation.take().last else {
      Issue.record("no request")
      return
    }
    #expect(lines.numAudios == 1 && lines.numVideos == 2)

    // It resumes with another request, which has no track.
    client = LiveKitClient(LiveKit.JoinRequest { ($0.reconnect, $0.participantSID) = (true, "PA_1") })
    #expect(client.reconnects && client.sid == "PA_1")
    _ = conversation.session.resume(conversation.session.token, client)
    conversation.receive(welcome(resumed: true))
    let names = conversation.take().map { "\($0)".prefix { $0 != "(" } }
    #expect(names.starts(with: ["reconnect", "update", "roomUpdate"]))
  }

  @Test("others who join, publish, mute, unpublish and leave are described, with rising versions") func others() throws {
    var conversation = try joined()
    _ = conversation.take()
    let audio = TrackInfo(trackId: "TR_2", kind: .audio, codec: .opus)
    conversation.receive(.published(PublishedData(userId: "bob", tracks: [audio])))
    conversation.receive(.muteChanged(MuteData(userId: "bob", trackId: "TR_2", muted: true, by: "bob")))
    conversation.receive(.unpublished(UnpublishedData(userId: "bob", trackIds: ["TR_1"])))
    conversation.receive(.left(LeftData(userId: "bob", reason: .kickedOut)))
    let infos = conversation.take().compactMap { message -> LiveKit.ParticipantInfo? in
      if case .update(let update) = message { update.participants.first } else { nil }
    }
    #expect(infos.map(\.tracks.count) == [2, 2, 1, 1])
    #expect(infos.map(\.version) == [2, 3, 4, 5])
    #expect(infos[1].tracks.last?.muted == true && infos[3].state == .disconnected)
    #expect(infos[3].disconnectReason == .participantRemoved)
  }

  @Test("a permitted change of the own attributes is passed on, and its outcome is answered") func attributes() throws {
    let change = LiveKit.UpdateParticipantMetadata {
      $0.requestID = 4
      $0.attributes = ["seat": "", "hand": "up"]
    }
    var conversation = try joined()
    _ = conversation.take()
    func reason(_ message: LiveKit.SignalResponse.Content?) -> LiveKit.RequestReason? {
      if case .requestResponse(let response) = message, response.requestID == 4 { response.reason } else { nil }
    }
    conversation.receive(.updateMetadata(change))
    #expect(reason(conversation.take().first) == .notAllowed && conversation.changes.isEmpty)
    conversation = try joined { $0.grants.canUpdateOwnMetadata = true }
    _ = conversation.take()
    conversation.receive(.updateMetadata(change))
    let profile = ParticipantProfile(name: "Ann", metadata: "m", attributes: ["hand": "up"])
    #expect(conversation.take().isEmpty && conversation.changes == [change])
    conversation.receive(.profileChanged(ProfileData(userId: ":ann:2Bx", profile: profile)))
    conversation.session.answer(change, nil)
    conversation.drain()
    let sent = conversation.take()
    guard case .update(let update) = sent.first else {
      Issue.record("no update")
      return
    }
    #expect(reason(sent.last) == .ok)
    #expect(update.participants.first?.attributes == ["hand": "up"] && update.participants.first?.version == 2)
    conversation.session.answer(change, RoomError(.updateRoomFailed, "too large"))
    conversation.drain()
    #expect(reason(conversation.take().first) == .limitExceeded)
  }

  @Test("an admin's mute and the end of the session reach the client") func commands() throws {
    var conversation = try joined()
    _ = conversation.take()
    conversation.receive(.muteChanged(MuteData(userId: ":ann:2Bx", trackId: "TR_own", muted: true, by: "")))
    conversation.receive(.ended(EndedData(reason: .serverStopping)))
    let mute = LiveKit.MuteTrackRequest {
      $0.sid = "TR_own"
      $0.muted = true
    }
    #expect(conversation.take() == [.mute(mute), .leave(LiveKit.LeaveRequest(.serverShutdown, .reconnect))])
  }

  @Test("a size or quality becomes the largest layer that covers it")
  func reception() {
    func reception(_ set: (inout LiveKit.UpdateTrackSettings) -> Void) -> TrackReception {
      TrackReception(LiveKit.UpdateTrackSettings(set), "TR_1", of: Self.track)
    }
    #expect(reception { $0.disabled = true }.paused == true)
    #expect(reception { $0.quality = .high }.maxWidth == nil)
    // The limits are between layers of 320, 640 and 1280 pixels.
    #expect(reception { $0.quality = .low }.maxWidth == 512 && reception { $0.quality = .medium }.maxWidth == 960)
    let small = reception { ($0.width, $0.height) = (300, 170) }
    #expect(small.maxWidth == 512 && small.maxHeight == 288)
    #expect(reception { ($0.width, $0.height) = (400, 225) }.maxWidth == 960)
    #expect(reception { ($0.width, $0.height) = (1000, 562) }.maxWidth == nil)
    #expect(reception { $0.priority = 1 }.priority == 127 && reception { $0.priority = 300 }.priority == 1)
    #expect(reception { $0.fps = 15 }.maxFps == 15 && reception { _ in }.priority == nil)
    // Of two layers, the smaller has a half.
    var two = Self.track
    two.layers = ["q", "h"]
    func ofTwo(_ quality: LiveKit.VideoQuality) -> Int? {
      TrackReception(LiveKit.UpdateTrackSettings { $0.quality = quality }, "TR_1", of: two).maxWidth
    }
    #expect(ofTwo(.low) == 960 && ofTwo(.medium) == nil && ofTwo(.high) == nil)
  }

  @Test("a simulcast is described as one, and its publisher learns at once which layers are wanted") func layers() throws {
    var conversation = try joined()
    _ = conversation.take()
    var track = Self.track
    (track.trackId, track.layers) = ("TR_3", ["q", "h", "f"])
    conversation.receive(.published(PublishedData(userId: "bob", tracks: [track])))
    guard case .update(let update) = conversation.take().first, let info = update.participants.first?.tracks.last else {
      Issue.record("no update")
      return
    }
    #expect(info.simulcast && info.layers.map(\.quality) == [.low, .medium, .high])
    #expect(info.layers.map(\.width) == [320, 640, 1280] && info.codecs.first?.layers == info.layers)
    conversation.receive(.published(PublishedData(userId: ":ann:2Bx", tracks: [track])))
    _ = conversation.take()
    conversation.receive(.layers(LayersData(layers: [WantedLayers(trackId: "TR_3", wanted: ["q", "f"])])))
    guard case .subscribedQualityUpdate(let wanted) = conversation.take().first else {
      Issue.record("no quality update")
      return
    }
    #expect(wanted.trackSID == "TR_3" && wanted.subscribedQualities.map(\.enabled) == [true, false, true])
    #expect(wanted.subscribedCodecs.map(\.codec) == ["vp8"])
    #expect(wanted.subscribedCodecs.first?.qualities.map(\.quality) == [.low, .medium, .high])
  }

  @Test("a track that the server pauses for a lack of bandwidth is reported, and its return") func streams() throws {
    var conversation = try joined()
    _ = conversation.take()
    for (state, expected) in [(StreamInfo.State.paused, LiveKit.StreamState.paused), (.active, .active)] {
      conversation.receive(.streams(StreamsData(streams: [StreamInfo(trackId: "TR_1", state: state)])))
      let sid = LiveKitID.participant("bob", joinedAt: 5000, in: ":a:20room")
      let info = LiveKit.StreamStateInfo { ($0.participantSID, $0.trackSID, $0.state) = (sid, "TR_1", expected) }
      #expect(conversation.take() == [.streamStateUpdate(LiveKit.StreamStateUpdate { $0.streamStates = [info] })])
    }
  }

  @Test("who may receive the client's tracks is passed on, by identity and by sid") func subscribers() throws {
    var conversation = try joined()
    let bob = LiveKitID.participant("bob", joinedAt: 5000, in: ":a:20room")
    let permissions = [
      LiveKit.TrackPermission { ($0.participantIdentity, $0.trackSIDs) = ("carl+x", ["TR_own"]) },
      LiveKit.TrackPermission { ($0.participantSID, $0.allTracks) = (bob, true) },
      LiveKit.TrackPermission { ($0.participantSID, $0.allTracks) = ("PA_nobody", true) },
    ]
    conversation.receive(.subscriptionPermission(LiveKit.SubscriptionPermission { $0.trackPermissions = permissions }))
    conversation.receive(.subscriptionPermission(LiveKit.SubscriptionPermission { $0.allParticipants = true }))
    let only = SubscriptionPermissions(only: ["bob": .all, ":carl:2Bx": .only(["TR_own"])])
    #expect(conversation.subscribers == [only, .everyone])
  }

  @Test("a client is informed of a track that it may not receive, and of its permission before its offer") func denials() throws
  {
    var conversation = try joined()
    _ = conversation.take()
    func permission(_ isAllowed: Bool) -> LiveKit.SignalResponse.Content {
      let sid = LiveKitID.participant("bob", joinedAt: 5000, in: ":a:20room")
      return .subscriptionPermissionUpdate(LiveKit.SubscriptionPermissionUpdate("TR_1", of: sid, isAllowed: isAllowed))
    }
    conversation.receive(
      .subscribeFailed(SubscribeFailedData(trackIds: ["TR_1"], error: RoomError(.noPermission, "not permitted"))))
    #expect(conversation.take() == [permission(false)])
    let offer = OfferData(
      offer: 1, sdp: "v=0\r\n", tracks: [OfferedTrack(mid: "0", userId: "bob", trackId: "TR_1")], restart: false)
    conversation.receive(.offer(offer))
    let sent = conversation.take()
    #expect(sent.first == permission(true) && sent.count == 2)
    conversation.receive(.offer(offer))
    #expect(conversation.take().count == 1, "it is known already")
  }

  @Test("the first subscriber of an own track is reported") func firstSubscriber() throws {
    var conversation = try joined()
    _ = conversation.take()
    conversation.receive(.subscribed("TR_own"))
    #expect(conversation.take() == [.trackSubscribed(LiveKit.TrackSubscribed { $0.trackSID = "TR_own" })])
  }
}
