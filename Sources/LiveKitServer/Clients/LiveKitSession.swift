import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU
import RoomServer
import RoomToken

/// The conversation with one LiveKit client, as a value: takes its requests, what the room sends, and the time; says what to send
/// to it, and what to ask of the room.
///
/// A client learns of a participant before it is offered its tracks, and of its own track's id before it offers it.
struct LiveKitSession: Sendable {
  enum Output: Sendable {
    case send(LiveKit.SignalResponse.Content)
    /// A call of the room; the answer is delivered with this number.
    case call(request: Int, SignalCall)
    /// A change of what the client shows of itself; its outcome is for ``answer(_:_:)``.
    case changeProfile(LiveKit.UpdateParticipantMetadata)
    /// Who may receive the client's tracks.
    case setSubscribers(SubscriptionPermissions)
    /// What follows from data packets.
    case data(LiveKitDataAction)
    /// The end, behind all messages.
    case close
  }

  /// A call whose answer matters.
  private enum Call: Sendable {
    /// The number of the client's offer.
    case publish(UInt32, LiveKitPublishing.Change)
    case mute(LiveKit.MuteTrackRequest)
    case subscription([String])
    /// The id of the client's RPC to the room.
    case rpc(String)
    /// A text of the chat.
    case chat
  }

  /// Calls whose answers are awaited, at most.
  private static let mostCalls = 256

  private var view: LiveKitView
  private let newTrackID: @Sendable () -> TrackID
  /// Signs a token for the client's next connection; nil if that fails.
  private let sign: @Sendable (LiveKitToken) -> String?

  private var outputs: [Output] = []
  private var calls: [Int: Call] = [:]
  /// The number of the last call. That of the join is 0.
  private var lastCall = 0
  private var chat = LiveKitChat()
  /// The number of the room's offer that waits for the client's answer.
  private var offer = 0
  private var hasLeft = false
  /// Whether the next welcome continues the session on a new connection.
  private var resumes = false
  /// The client's sid in the room that it joined first. Some clients resume by this one, wherever they were moved to.
  private(set) var firstSID = ""
  /// Whether the next welcome is that of another room, which the client enters with its present connections.
  private var moves = false
  /// The number of the last reliable packet of the client. It repeats later ones when it resumes.
  private var lastPacket: UInt32 = 0
  /// The number of the room's last change that the client knows; nil if there was none.
  private var lastChange: Int?

  /// - Parameters:
  ///   - token: a token that joins a room.
  ///   - newTrackID: returns a new id, which begins with `TR_`.
  ///   - sign: signs a token; nil if that fails.
  init(
    _ token: LiveKitToken, _ client: LiveKitClient, newTrackID: @escaping @Sendable () -> TrackID,
    sign: @escaping @Sendable (LiveKitToken) -> String?
  ) {
    view = LiveKitView(token, client)
    self.newTrackID = newTrackID
    self.sign = sign
  }

  /// What the client may do is what the room says last.
  var token: LiveKitToken { view.token }
  var client: LiveKitClient { view.client }
  private var own: UserID { view.own }
  private var publishing: LiveKitPublishing {
    get { view.publishing }
    set { view.publishing = newValue }
  }

  /// The parameters of the join, whose answer comes as ``RoomDelivery/welcome(request:_:)``; nil if the client is too old.
  mutating func begin() -> JoinParams? {
    guard client.protocolNumber < LiveKitClient.oldestProtocol else {
      return JoinParams(token: "", autoSubscribe: client.autoSubscribe, audioLevels: true)
    }
    end(LiveKit.LeaveRequest(.joinFailure, .disconnect))
    return nil
  }

  /// Ends the conversation with a client that is to connect anew, because there is no session that it can resume.
  mutating func refuseToResume() {
    hasLeft = true
    end(LiveKit.LeaveRequest(.stateMismatch, .reconnect))
  }

  /// Continues the session on a new connection. Its welcome comes as that of a join.
  /// - Returns: the number of the last change of the room that the client knows; nil if it knows none.
  mutating func resume(_ token: LiveKitToken, _ client: LiveKitClient) -> Int? {
    (view.token, view.client) = (token, client)
    (hasLeft, resumes, outputs) = (false, true, [])
    return lastChange
  }

  /// Goes to another room, whose welcome follows what the present one has sent.
  mutating func move() { moves = true }

  /// Asks the client to connect to another room, with a new token. The client publishes again there.
  mutating func dismiss(to room: ForeignName, at now: Int64) {
    (moves, hasLeft) = (false, true)
    view.token.grants.room = room
    refreshToken(at: now)
    end(LiveKit.LeaveRequest(.migration, .reconnect))
  }

  /// Ends the conversation because the room does not admit the client.
  mutating func refuse(_ error: RoomError) { end(LiveKit.LeaveRequest(.joinFailure, .disconnect)) }

  /// Returns what is to be done, in order.
  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }

  private mutating func send(_ message: LiveKit.SignalResponse.Content) { outputs.append(.send(message)) }

  private mutating func end(_ leave: LiveKit.LeaveRequest) {
    send(.leave(leave))
    outputs.append(.close)
  }

  /// Leaves the room, because the client waits for an answer to an offer that has none.
  private mutating func fail() {
    hasLeft = true
    call(.leave)
    end(LiveKit.LeaveRequest(.mediaFailure, .disconnect))
  }

  private mutating func call(_ call: SignalCall, _ pending: Call? = nil) {
    lastCall += 1
    if let pending, calls.count < Self.mostCalls { calls[lastCall] = pending }
    outputs.append(.call(request: lastCall, call))
  }

  // MARK: The client

  /// Handles a request of the client.
  /// - Parameter now: milliseconds since 1970.
  mutating func receive(_ request: LiveKit.SignalRequest, at now: Int64) {
    guard !hasLeft else { return }
    switch request.message {
    case .offer(let description): publish(description)
    case .answer(let description):
      // Some clients don't repeat the number.
      let number = description.id == 0 ? offer : Int(description.id)
      call(.answer(AnswerParams(offer: number, sdp: description.sdp)))
    case .addTrack(let track): add(track)
    case .mute(let params): mute(params)
    case .subscription(let params): subscribe(params)
    case .trackSetting(let settings): setReception(settings)
    case .leave:
      hasLeft = true
      call(.leave)
      outputs.append(.close)
    case .ping: send(.pong(now))
    case .pingReq(let ping):
      send(
        .pongResp(
          LiveKit.Pong {
            $0.lastPingTimestamp = ping.timestamp
            $0.timestamp = now
          }))
    case .updateMetadata(let params): changeProfile(params)
    case .subscriptionPermission(let params):
      outputs.append(.setSubscribers(SubscriptionPermissions(params) { [roster = view.roster] in roster.user($0) }))
    case .publishDataTrackRequest(let params):
      respond(.unsupportedType, "data tracks are not supported", to: .publishDataTrack(params))
    case .unpublishDataTrackRequest(let params): respond(.notFound, "there is no such track", to: .unpublishDataTrack(params))
    // Candidates are in the descriptions. The others need no answer.
    case .syncState(let state): synchronise(state)
    case .trickle, .simulate, .updateAudioTrack, .updateVideoTrack, nil: break
    }
  }

  /// Sends the token for the client's next connection.
  mutating func refreshToken(at now: Int64) {
    if let text = nextToken(at: now) { send(.refreshToken(text)) }
  }

  /// Returns the token for the client's next connection; nil if it can't be signed.
  private func nextToken(at now: Int64) -> String? {
    var next = token
    let time = Double(now) / 1000
    next.notBefore = .init(timeIntervalSince1970: time)
    next.expires = max(token.expires, .init(timeIntervalSince1970: time + Self.tokenTime))
    return sign(next)
  }

  /// Seconds for which a token is valid at least, so that a client can return.
  private static let tokenTime = 600.0

  private mutating func publish(_ description: LiveKit.SessionDescription) {
    do {
      let change = try publishing.change(in: description.sdp)
      if !change.replaced.isEmpty { call(.unpublish(TrackSelection(trackIds: change.replaced))) }
      var params = PublishParams(sdp: change.sdp, tracks: change.new)
      params.backups = change.backups
      call(.publish(params), .publish(description.id, change))
    } catch {
      fail()
    }
  }

  private mutating func add(_ track: LiveKit.AddTrackRequest) {
    let source = VideoGrants.Source(track.source)
    // A hidden participant's tracks would reveal it.
    guard token.grants.canPublish(source), !token.grants.hidden, track.type != .data else {
      return respond(.notAllowed, "the token does not permit the track", to: .addTrack(track))
    }
    // A second codec of a track that is published.
    guard track.sid.isEmpty else { return addBackup(track) }
    guard let info = publishing.announce(track, id: newTrackID()) else {
      return respond(.limitExceeded, "too many tracks wait for an offer", to: .addTrack(track))
    }
    published(track.cid, info)
  }

  private mutating func addBackup(_ track: LiveKit.AddTrackRequest) {
    let id = TrackID(track.sid)
    guard let request = publishing.request(of: id), request.type == track.type else {
      return respond(.notFound, "there is no track \(track.sid.prefix(64))", to: .addTrack(track))
    }
    guard publishing.announceBackup(track) else {
      return respond(.limitExceeded, "too many tracks wait for an offer", to: .addTrack(track))
    }
    var info = view.roster.track(id).map { LiveKit.TrackInfo($0) } ?? LiveKit.TrackInfo()
    (info.sid, info.name) = (id.rawValue, request.name)
    publishing.complete(&info)
    published(track.cid, info)
  }

  private mutating func published(_ cid: String, _ track: LiveKit.TrackInfo) {
    send(
      .trackPublished(
        LiveKit.TrackPublishedResponse {
          $0.cid = cid
          $0.track = track
        }))
  }

  private mutating func mute(_ params: LiveKit.MuteTrackRequest) {
    let id = TrackID(params.sid)
    if publishing.mute(id, params.muted) { return }
    call(.mute(MuteParams(trackId: id, muted: params.muted)), .mute(params))
  }

  private mutating func subscribe(_ params: LiveKit.UpdateSubscription) {
    let sids = params.trackSIDs + params.participantTracks.flatMap(\.trackSIDs)
    let selection = TrackSelection(trackIds: sids.map { TrackID($0) })
    call(params.subscribe ? .subscribe(selection) : .unsubscribe(selection), .subscription(sids))
  }

  /// Changes what the client shows of itself.
  private mutating func changeProfile(_ params: LiveKit.UpdateParticipantMetadata) {
    guard token.grants.canUpdateOwnMetadata else {
      return respond(
        .notAllowed, "the token does not permit changes of the own name and metadata", to: .updateMetadata(params),
        id: params.requestID)
    }
    outputs.append(.changeProfile(params))
  }

  /// Answers a change of what the client shows of itself.
  /// - Parameter error: why it failed; nil if it is done.
  mutating func answer(_ params: LiveKit.UpdateParticipantMetadata, _ error: RoomError?) {
    guard !hasLeft else { return }
    respond(error == nil ? .ok : .limitExceeded, error?.message ?? "", to: .updateMetadata(params), id: params.requestID)
  }

  private mutating func setReception(_ settings: LiveKit.UpdateTrackSettings) {
    let tracks = settings.trackSIDs.prefix(ReceptionParams.maximumTracks).map { TrackID($0) }
    call(.setReception(ReceptionParams(tracks: tracks.map { TrackReception(settings, $0, of: view.roster.track($0)) })))
  }

  private mutating func respond(
    _ reason: LiveKit.RequestReason, _ message: String, to request: LiveKit.RequestResponse.Request, id: UInt32 = 0
  ) {
    send(
      .requestResponse(
        LiveKit.RequestResponse {
          $0.requestID = id
          $0.reason = reason
          $0.message = message
          $0.request = request
        }))
  }

  // MARK: The room

  /// Handles what the room sends.
  /// - Parameter now: milliseconds since 1970.
  mutating func receive(_ delivery: RoomDelivery, at now: Int64) {
    switch delivery {
    case .welcome(_, let result) where moves: moved(result, at: now)
    case .welcome(_, let result):
      welcome(result)
      refreshToken(at: now)
    case .answer(let request, let result): if let call = calls.removeValue(forKey: request) { settle(call, result) }
    case .event(let event): receive(event, at: now)
    case .message(let message): receive(message)
    case .subscribed(let track): send(.trackSubscribed(LiveKit.TrackSubscribed { $0.trackSID = track.rawValue }))
    case .needsOffer(let lines):
      send(
        .mediaSectionsRequirement(
          LiveKit.MediaSectionsRequirement {
            $0.numAudios = UInt32(clamping: lines.audio)
            $0.numVideos = UInt32(clamping: lines.video)
          }))
    case .codecsWanted(let track, let codecs):
      send(.subscribedQualityUpdate(LiveKit.SubscribedQualityUpdate(codecs, of: track)))
    // Of the connection.
    case .move: break
    }
  }

  // MARK: Data

  private mutating func receive(_ message: DataMessage) {
    guard !hasLeft else { return }
    let sender = LiveKitPackets.Sender(
      identity: token.identity?.text ?? "", sid: view.roster.sid(of: own) ?? "", isHidden: token.grants.hidden,
      mayPublish: token.grants.canPublishData)
    switch LiveKitPackets.read(message, from: sender, after: &lastPacket, user: { [roster = view.roster] in roster.user($0) }) {
    case .action(let action): outputs.append(.data(action))
    case .roomCall(let rpc): perform(rpc)
    case .stream(let value, let action): passOn(value, action)
    case .none: break
    }
  }

  /// Passes on a part of a stream, or takes it as a part of the chat.
  private mutating func passOn(_ value: LiveKit.DataPacket.Value, _ action: LiveKitDataAction) {
    // Others must not learn of a hidden participant.
    switch token.grants.hidden ? .other : chat.take(value) {
    case .other: outputs.append(.data(action))
    case .part: break
    case .text(let text):
      if !callByData(.sendMessage(MessageParams(.text, text: text)), .chat) { outputs.append(.data(.refuse)) }
    }
  }

  /// Performs a call of the room by RPC.
  private mutating func perform(_ rpc: LiveKit.RPCRequest) {
    outputs.append(.data(.send(LiveKitPackets.acknowledgement(of: rpc.id))))
    if rpc.method == "getState" { return outputs.append(.data(.readState(rpc: rpc.id))) }
    do throws(RoomError) {
      guard callByData(try SignalCall(rpc), .rpc(rpc.id)) else {
        throw RoomError(.updateRoomFailed, "too many calls wait for their answers")
      }
    } catch { answer(rpc: rpc.id, .failure(error)) }
  }

  /// Calls the room on behalf of a data packet. Returns false if too many calls wait for their answers.
  private mutating func callByData(_ call: SignalCall, _ pending: Call) -> Bool {
    guard calls.count < Self.mostCalls else { return false }
    lastCall += 1
    calls[lastCall] = pending
    outputs.append(.data(.call(request: lastCall, call)))
    return true
  }

  /// Answers a call of the room by RPC.
  mutating func answer(rpc: String, _ result: Result<any Encodable & Sendable, RoomError>) {
    outputs.append(.data(.send(LiveKitPackets.answer(to: rpc, result))))
  }

  private mutating func welcome(_ result: JoinResult) {
    guard !resumes else { return resumed(result) }
    view.know(result)
    firstSID = view.roster.sid(of: own) ?? ""
    let others = result.participants.compactMap { view.roster.describe($0.userId) }
    send(.join(LiveKit.JoinResponse(result, to: client, view.room, me: view.describeOwn(), others)))
    receive(client.joinRequest)
  }

  /// Tells a client that it is in another room. Its connections and the ids of its tracks remain.
  private mutating func moved(_ result: JoinResult, at now: Int64) {
    moves = false
    // Some clients keep the participants that are not reported as gone.
    let left = view.move(to: result)
    if !left.isEmpty { send(.update(LiveKit.ParticipantUpdate { $0.participants = left })) }
    lastChange = nil
    let others = result.participants.compactMap { view.roster.describe($0.userId) }
    let (me, token) = (view.describeOwn(), nextToken(at: now) ?? "")
    send(
      .roomMoved(
        LiveKit.RoomMovedResponse { [room = view.room] in
          ($0.room, $0.token, $0.participant, $0.otherParticipants) = (room, token, me, others)
        }))
  }

  /// Handles what a client with a single peer connection announces and offers when it connects.
  private mutating func receive(_ request: LiveKit.JoinRequest?) {
    guard let request else { return }
    for track in request.addTrackRequests { add(track) }
    if let state = request.syncState { synchronise(state) }
    if let offer = request.publisherOffer, !offer.sdp.isEmpty { publish(offer) }
  }

  /// Tells a client that it continues its session, and all that may have changed meanwhile.
  private mutating func resumed(_ result: JoinResult) {
    resumes = false
    guard result.resumed else {
      // The participant left while its client was on its way: the client begins anew.
      call(.leave)
      return refuseToResume()
    }
    let left = view.roster.describeLeft(staying: [result.me] + result.participants)
    view.know(result)
    settlePublications(of: result.me)
    send(.reconnect(LiveKit.ReconnectResponse(result, to: client, lastPacket: lastPacket)))
    let present = [view.describeOwn()] + result.participants.compactMap { view.roster.describe($0.userId) }
    send(.update(LiveKit.ParticipantUpdate { $0.participants = left + present }))
    send(.roomUpdate(LiveKit.RoomUpdate { [room = view.room] in $0.room = room }))
    receive(client.joinRequest)
  }

  /// Notes which offers the room answered, if the answers were lost with the connection.
  private mutating func settlePublications(of me: ParticipantInfo) {
    let known = Set(me.tracks.map(\.trackId))
    for case .publish(_, let change) in calls.values where change.new.allSatisfy({ $0.trackId.map(known.contains) == true }) {
      publishing.answered(change)
    }
    calls = [:]
  }

  /// Compares what the client says that it publishes and receives with the room. It begins anew if it publishes a track that has
  /// ended.
  private mutating func synchronise(_ state: LiveKit.SyncState) {
    let published = state.publishTracks.compactMap { $0.track.map { TrackID($0.sid) } }
    guard published.allSatisfy({ view.roster.owner(of: $0) == own || publishing.isPending($0) }) else {
      return refuseToResume()
    }
    guard let subscription = state.subscription else { return }
    let tracks = (subscription.trackSIDs + subscription.participantTracks.flatMap(\.trackSIDs)).map { TrackID($0) }
      .filter { track in view.roster.owner(of: track).map { $0 != own } ?? false }
    guard !tracks.isEmpty else { return }
    let selection = TrackSelection(trackIds: tracks)
    call(subscription.subscribe ? .subscribe(selection) : .unsubscribe(selection))
  }

  private mutating func settle(_ call: Call, _ result: Result<any Codable & Sendable, RoomError>) {
    switch (call, result) {
    case (.rpc(let id), _): answer(rpc: id, result.map { $0 as any Encodable & Sendable })
    case (.publish(let id, let change), .success(let value)):
      let shared = value as? ConnectionAnswer
      guard let result = shared?.published ?? value as? PublishResult else { return }
      publishing.answered(change)
      view.roster.change(own) { me in
        me.tracks += result.tracks.map(\.track)
      }
      let answer = view.describe("answer", result.sdp, shared?.received ?? [], id: id)
      for message in view.takeMessages() { send(message) }
      send(.answer(answer))
    case (.publish, .failure): fail()
    case (.mute(let params), .failure):
      // The room has decided otherwise: the client follows.
      send(
        .mute(
          LiveKit.MuteTrackRequest {
            $0.sid = params.sid
            $0.muted = !params.muted
          }))
    case (.subscription(let sids), .failure):
      for sid in sids where view.roster.track(TrackID(sid)) == nil {
        send(
          .subscriptionResponse(
            LiveKit.SubscriptionResponse {
              $0.trackSID = sid
              $0.err = .trackNotfound
            }))
      }
    case (.chat, .failure): outputs.append(.data(.refuse))
    case (.mute, .success), (.subscription, .success), (.chat, .success): break
    }
  }

  private mutating func receive(_ event: SignalEvent, at now: Int64) {
    if case .unpublished(let data) = event, data.userId == own { withdraw(data.trackIds) }
    view.receive(event, at: now)
    for message in view.takeMessages() { send(message) }
    switch event {
    case .offer(let data): offer = data.offer
    // The next connection has the same permissions.
    case .permissionsChanged(let data) where data.userId == own: refreshToken(at: now)
    case .ended(let data):
      hasLeft = true
      if let room = data.room.flatMap({ ForeignName(id: $0.rawValue) }) {
        // The client connects anew with the last token that it has, and publishes again.
        view.token.grants.room = room
        refreshToken(at: now)
      }
      send(.leave(LiveKit.LeaveRequest(data)))
    case .changed(let change):
      lastChange = change.seq
      if let message = LiveKitPackets.event(change) { outputs.append(.data(.send(message))) }
      if case .message(let message) = change.change, message.userId != own { pass(message) }
    default: break
    }
  }

  /// Sends a message of the room as a text of the chat.
  private mutating func pass(_ message: RoomMessage) {
    let sid = view.roster.sid(of: message.userId) ?? ""
    for packet in LiveKitChat.packets(of: message, from: message.userId.foreignName, sid: sid) {
      outputs.append(.data(.send(packet)))
    }
  }

  /// Ends tracks of the client that the room ended.
  private mutating func withdraw(_ tracks: [TrackID]) {
    publishing.withdraw(Set(tracks))
    for track in tracks { send(.trackUnpublished(LiveKit.TrackUnpublishedResponse { $0.trackSID = track.rawValue })) }
  }
}
