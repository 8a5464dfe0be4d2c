import RoomLiveKitProtocol
import RoomProtocol
import RoomToken
import RoomEngine
import RoomSFU

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

  /// The version of LiveKit's server whose signalling this is. Clients refuse a server without one.
  static let version = "1.13.0"
  /// Calls whose answers are awaited, at most.
  private static let mostCalls = 256

  /// What the client may do is what the room says last.
  private(set) var token: LiveKitToken
  private(set) var client: LiveKitClient
  private let newTrackID: @Sendable () -> TrackID
  /// Signs a token for the client's next connection; nil if that fails.
  private let sign: @Sendable (LiveKitToken) -> String?

  private var outputs: [Output] = []
  private var calls: [Int: Call] = [:]
  /// The number of the last call. That of the join is 0.
  private var lastCall = 0
  private var roster: LiveKitRoster
  private var room = LiveKit.Room()
  private var publishing = LiveKitPublishing()
  private var chat = LiveKitChat()
  private var speakers = LiveKitSpeakers()
  private var denials = LiveKitDenials()
  private var own: UserID { token.identity?.user ?? "" }
  /// The number of the room's offer that waits for the client's answer.
  private var offer = 0
  private var hasLeft = false
  /// Whether the next welcome continues the session on a new connection.
  private var resumes = false
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
    self.token = token
    self.client = client
    self.newTrackID = newTrackID
    self.sign = sign
    roster = LiveKitRoster(room: token.grants.room?.room ?? "")
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
    (self.token, self.client) = (token, client)
    (hasLeft, resumes, outputs) = (false, true, [])
    return lastChange
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
      outputs.append(.setSubscribers(SubscriptionPermissions(params) { [roster] in roster.user($0) }))
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
    var next = token
    let time = Double(now) / 1000
    next.notBefore = .init(timeIntervalSince1970: time)
    next.expires = max(token.expires, .init(timeIntervalSince1970: time + Self.tokenTime))
    if let text = sign(next) { send(.refreshToken(text)) }
  }

  /// Seconds for which a token is valid at least, so that a client can return.
  private static let tokenTime = 600.0

  private mutating func publish(_ description: LiveKit.SessionDescription) {
    do {
      let change = try publishing.change(in: description.sdp)
      if !change.replaced.isEmpty { call(.unpublish(TrackSelection(trackIds: change.replaced))) }
      call(.publish(PublishParams(sdp: description.sdp, tracks: change.new)), .publish(description.id, change))
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
    guard track.sid.isEmpty else {
      guard let info = publishing.request(of: TrackID(track.sid)).map({ describe(TrackID(track.sid), $0) }) else {
        return respond(.notFound, "there is no track \(track.sid.prefix(64))", to: .addTrack(track))
      }
      return published(track.cid, info)
    }
    guard let info = publishing.announce(track, id: newTrackID()) else {
      return respond(.limitExceeded, "too many tracks wait for an offer", to: .addTrack(track))
    }
    published(track.cid, info)
  }

  private func describe(_ id: TrackID, _ request: LiveKit.AddTrackRequest) -> LiveKit.TrackInfo {
    var info = roster.track(id).map { LiveKit.TrackInfo($0) } ?? LiveKit.TrackInfo()
    (info.sid, info.name) = (id.rawValue, request.name)
    return info
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
    call(.setReception(ReceptionParams(tracks: tracks.map { TrackReception(settings, $0, of: roster.track($0)) })))
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
    case .welcome(_, let result):
      welcome(result)
      refreshToken(at: now)
    case .answer(let request, let result): if let call = calls.removeValue(forKey: request) { settle(call, result) }
    case .event(let event): receive(event, at: now)
    case .message(let message): receive(message)
    case .subscribed(let track): send(.trackSubscribed(LiveKit.TrackSubscribed { $0.trackSID = track.rawValue }))
    }
  }

  // MARK: Data

  private mutating func receive(_ message: DataMessage) {
    guard !hasLeft else { return }
    let sender = LiveKitPackets.Sender(
      identity: token.identity?.text ?? "", sid: roster.sid(of: own) ?? "", isHidden: token.grants.hidden,
      mayPublish: token.grants.canPublishData)
    switch LiveKitPackets.read(message, from: sender, after: &lastPacket, user: { [roster] in roster.user($0) }) {
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
      guard calls.count < Self.mostCalls else { return outputs.append(.data(.refuse)) }
      lastCall += 1
      calls[lastCall] = .chat
      outputs.append(.data(.call(request: lastCall, .sendMessage(MessageParams(.text, text: text)))))
    }
  }

  /// Performs a call of the room by RPC.
  private mutating func perform(_ rpc: LiveKit.RPCRequest) {
    outputs.append(.data(.send(LiveKitPackets.acknowledgement(of: rpc.id))))
    if rpc.method == "getState" { return outputs.append(.data(.readState(rpc: rpc.id))) }
    do throws(RoomError) {
      guard calls.count < Self.mostCalls else { throw RoomError(.updateRoomFailed, "too many calls wait for their answers") }
      let call = try SignalCall(rpc)
      lastCall += 1
      calls[lastCall] = .rpc(rpc.id)
      outputs.append(.data(.call(request: lastCall, call)))
    } catch { answer(rpc: rpc.id, .failure(error)) }
  }

  /// Answers a call of the room by RPC.
  mutating func answer(rpc: String, _ result: Result<any Encodable & Sendable, RoomError>) {
    outputs.append(.data(.send(LiveKitPackets.answer(to: rpc, result))))
  }

  private mutating func welcome(_ result: JoinResult) {
    guard !resumes else { return resumed(result) }
    know(result)
    let others = result.participants.compactMap { roster.describe($0.userId) }
    send(
      .join(
        LiveKit.JoinResponse { [room, me = describeOwn(), client] in
          $0.room = room
          $0.participant = me
          $0.otherParticipants = others
          $0.subscriberPrimary = true
          $0.fastPublish = true
          $0.pingInterval = 5
          $0.pingTimeout = 15
          $0.serverVersion = Self.version
          $0.serverInfo = Self.server(for: client)
          $0.iceServers = Self.iceServers(result)
          $0.enabledPublishCodecs = ["video/VP8", "video/H264", "video/VP9", "video/AV1", "audio/opus"].map { mime in
            LiveKit.Codec { $0.mime = mime }
          }
        }))
  }

  /// Takes over what the room says of itself and of everybody in it.
  private mutating func know(_ result: JoinResult) {
    for info in [result.me] + result.participants { roster.set(info) }
    _ = roster.set(result.room.seats)
    // Those that the server API gave it outlast its connection.
    if let permissions = result.me.permissions { token.grants.set(permissions) }
    room.sid = LiveKitID.room(result.room.name, createdAt: result.room.createdAt)
    room.name = result.room.name.foreignName
    room.creationTime = result.room.createdAt / 1000
    room.creationTimeMilliseconds = result.room.createdAt
    room.metadata = result.room.attributes[LiveKit.Room.metadataAttribute] ?? ""
    countParticipants()
  }

  /// Tells a client that it continues its session, and all that may have changed meanwhile.
  private mutating func resumed(_ result: JoinResult) {
    resumes = false
    guard result.resumed else {
      // The participant left while its client was on its way: the client begins anew.
      call(.leave)
      return refuseToResume()
    }
    let left = roster.describeLeft(staying: [result.me] + result.participants)
    know(result)
    settlePublications(of: result.me)
    send(
      .reconnect(
        LiveKit.ReconnectResponse { [client, lastPacket] in
          $0.iceServers = Self.iceServers(result)
          $0.serverInfo = Self.server(for: client)
          $0.lastMessageSeq = lastPacket
        }))
    let present = [describeOwn()] + result.participants.compactMap { roster.describe($0.userId) }
    send(.update(LiveKit.ParticipantUpdate { $0.participants = left + present }))
    send(.roomUpdate(LiveKit.RoomUpdate { [room] in $0.room = room }))
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
    guard published.allSatisfy({ roster.owner(of: $0) == own || publishing.isPending($0) }) else { return refuseToResume() }
    guard let subscription = state.subscription else { return }
    let tracks = (subscription.trackSIDs + subscription.participantTracks.flatMap(\.trackSIDs)).map { TrackID($0) }
      .filter { track in roster.owner(of: track).map { $0 != own } ?? false }
    guard !tracks.isEmpty else { return }
    let selection = TrackSelection(trackIds: tracks)
    call(subscription.subscribe ? .subscribe(selection) : .unsubscribe(selection))
  }

  private static func server(for client: LiveKitClient) -> LiveKit.ServerInfo {
    LiveKit.ServerInfo {
      $0.version = version
      $0.protocolNumber = Int32(clamping: min(17, client.protocolNumber))
    }
  }

  private static func iceServers(_ result: JoinResult) -> [LiveKit.ICEServer] {
    (result.iceServers ?? []).map { server in
      LiveKit.ICEServer {
        $0.urls = server.urls
        $0.username = server.username ?? ""
        $0.credential = server.credential ?? ""
      }
    }
  }

  private mutating func countParticipants() {
    room.numParticipants = UInt32(clamping: roster.count)
    room.numPublishers = UInt32(clamping: roster.publishers)
  }

  /// Describes the client itself, with what its token says.
  private mutating func describeOwn() -> LiveKit.ParticipantInfo {
    guard var info = roster.describe(own) else { return LiveKit.ParticipantInfo() }
    info.clientProtocol = client.clientProtocol
    info.capabilities = client.capabilities
    info.permission?.canPublishData = token.grants.canPublishData
    info.permission?.canUpdateMetadata = token.grants.canUpdateOwnMetadata
    info.permission?.canPublishSources = token.grants.canPublishSources.map { LiveKit.TrackSource($0) }
    return info
  }

  private mutating func settle(_ call: Call, _ result: Result<any Codable & Sendable, RoomError>) {
    switch (call, result) {
    case (.rpc(let id), _): answer(rpc: id, result.map { $0 as any Encodable & Sendable })
    case (.publish(let id, let change), .success(let value)):
      guard let value = value as? PublishResult else { return }
      publishing.answered(change)
      roster.change(own) { me in
        me.tracks += value.tracks.map(\.track)
      }
      send(
        .answer(
          LiveKit.SessionDescription {
            $0.type = "answer"
            $0.sdp = value.sdp
            $0.id = id
          }))
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
      for sid in sids where roster.track(TrackID(sid)) == nil {
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
    switch event {
    case .joined(let info):
      roster.set(info)
      update(info.userId)
    case .left(let data): leave(data)
    case .profileChanged(let data):
      roster.change(data.userId) { $0.profile = data.profile }
      update(data.userId)
    case .permissionsChanged(let data): permissionsChanged(data, at: now)
    case .published(let data):
      roster.change(data.userId) { $0.tracks += data.tracks }
      update(data.userId)
    case .unpublished(let data):
      roster.change(data.userId) { $0.tracks.removeAll { data.trackIds.contains($0.trackId) } }
      denials.forget(data.trackIds)
      if data.userId == own { withdraw(data.trackIds) }
      update(data.userId)
    case .muteChanged(let data): muteChanged(data)
    case .offer(let data):
      for track in denials.permit(in: data) { sendPermission(track.trackId, isAllowed: true) }
      offer = data.offer
      let text = LiveKitDescription.named(data) { [roster] in roster.sid(of: $0) }
      send(
        .offer(
          LiveKit.SessionDescription {
            $0.type = "offer"
            $0.sdp = text
            $0.id = UInt32(clamping: data.offer)
          }))
    case .subscribeFailed(let data) where data.error.code == .noPermission:
      denials.deny(data.trackIds)
      for track in data.trackIds { sendPermission(track, isAllowed: false) }
    case .subscribeFailed(let data):
      for track in data.trackIds {
        send(
          .subscriptionResponse(
            LiveKit.SubscriptionResponse {
              $0.trackSID = track.rawValue
              $0.err = .codecUnsupported
            }))
      }
    case .layers(let data):
      for layers in data.layers {
        send(.subscribedQualityUpdate(LiveKit.SubscribedQualityUpdate(layers, of: roster.track(layers.trackId))))
      }
    case .streams(let data): sendStreams(data)
    case .networkQuality(let data):
      let updates = data.users.compactMap { quality in
        roster.sid(of: quality.userId).map { LiveKit.ConnectionQualityInfo(quality, sid: $0) }
      }
      if !updates.isEmpty { send(.connectionQuality(LiveKit.ConnectionQualityUpdate { $0.updates = updates })) }
    case .audioLevels(let data): sendSpeakers(speakers.note(data, at: now).map { ($0.key, $0.value, true) })
    case .activeSpeakers(let data): sendSpeakers(speakers.note(data, at: now))
    case .ended(let data):
      hasLeft = true
      if let room = data.room.flatMap({ ForeignName(id: $0.rawValue) }) {
        // The client connects anew with the last token that it has, and publishes again.
        token.grants.room = room
        refreshToken(at: now)
      }
      send(.leave(LiveKit.LeaveRequest(data)))
    case .changed(let change):
      lastChange = change.seq
      if let message = LiveKitPackets.event(change) { outputs.append(.data(.send(message))) }
      receive(change.change)
    // Nothing in LiveKit's signalling corresponds to the others.
    case .connectionChanged, .kicked, .jobChanged, .jobStatus, .jobEnded, .stageChanged, .compositionChanging, .pkToken,
      .pkOnAir, .unknown:
      break
    }
  }

  private mutating func receive(_ change: RoomChange) {
    switch change {
    case .seatChanged(let data): for user in roster.set(data.seat) { update(user) }
    case .layoutChanged(let data): for user in roster.set(data.seats) { update(user) }
    case .message(let message) where message.userId != own:
      let (user, sid) = (message.userId, roster.sid(of: message.userId) ?? "")
      for packet in LiveKitChat.packets(of: message, from: user.foreignName, sid: sid) {
        outputs.append(.data(.send(packet)))
      }
    case .attributesChanged(let data):
      let key = LiveKit.Room.metadataAttribute
      guard let metadata = data.removed.contains(key) ? "" : data.set[key] else { break }
      room.metadata = metadata
      countParticipants()
      send(.roomUpdate(LiveKit.RoomUpdate { [room] in $0.room = room }))
    default: break
    }
  }

  /// Sends what has changed of a participant.
  private mutating func update(_ user: UserID) {
    let info = user == own ? describeOwn() : roster.describe(user)
    guard let info else { return }
    send(.update(LiveKit.ParticipantUpdate { $0.participants = [info] }))
  }

  private mutating func leave(_ data: LeftData) {
    guard var info = roster.describe(data.userId, state: .disconnected) else { return }
    info.disconnectReason = LiveKit.DisconnectReason(data.reason)
    denials.forget(info.tracks.map { TrackID($0.sid) })
    roster.remove(data.userId)
    send(.update(LiveKit.ParticipantUpdate { $0.participants = [info] }))
  }

  private mutating func permissionsChanged(_ data: PermissionsData, at now: Int64) {
    let permissions = data.permissions
    roster.change(data.userId) { info in
      info.grants = permissions.grants
      info.permissions = permissions
    }
    if data.userId == own { token.grants.set(permissions) }
    update(data.userId)
    // The next connection has the same permissions.
    if data.userId == own { refreshToken(at: now) }
  }

  /// Ends tracks of the client that the room ended.
  private mutating func withdraw(_ tracks: [TrackID]) {
    publishing.withdraw(Set(tracks))
    for track in tracks { send(.trackUnpublished(LiveKit.TrackUnpublishedResponse { $0.trackSID = track.rawValue })) }
  }

  private mutating func muteChanged(_ data: MuteData) {
    roster.change(data.userId) { info in
      for index in info.tracks.indices where info.tracks[index].trackId == data.trackId {
        info.tracks[index].muted = data.muted
      }
    }
    guard data.userId == own else { return update(data.userId) }
    send(
      .mute(
        LiveKit.MuteTrackRequest {
          $0.sid = data.trackId.rawValue
          $0.muted = data.muted
        }))
  }

  /// Sends whether the client may receive a track.
  private mutating func sendPermission(_ track: TrackID, isAllowed: Bool) {
    guard let owner = roster.owner(of: track).flatMap({ roster.sid(of: $0) }) else { return }
    send(.subscriptionPermissionUpdate(LiveKit.SubscriptionPermissionUpdate(track, of: owner, isAllowed: isAllowed)))
  }

  private mutating func sendStreams(_ data: StreamsData) {
    let states = data.streams.compactMap { stream -> LiveKit.StreamStateInfo? in
      guard let owner = roster.owner(of: stream.trackId), let sid = roster.sid(of: owner) else { return nil }
      return LiveKit.StreamStateInfo {
        $0.participantSID = sid
        $0.trackSID = stream.trackId.rawValue
        $0.state = stream.state == .paused ? .paused : .active
      }
    }
    if !states.isEmpty { send(.streamStateUpdate(LiveKit.StreamStateUpdate { $0.streamStates = states })) }
  }

  private mutating func sendSpeakers(_ changed: [(user: UserID, level: Float, isActive: Bool)]) {
    let infos = changed.compactMap { speaker -> LiveKit.SpeakerInfo? in
      guard let sid = roster.sid(of: speaker.user) else { return nil }
      return LiveKit.SpeakerInfo {
        $0.sid = sid
        $0.level = speaker.level
        $0.active = speaker.isActive
      }
    }
    if !infos.isEmpty { send(.speakersChanged(LiveKit.SpeakersChanged { $0.speakers = infos })) }
  }
}

extension VideoGrants {
  /// Takes over what the room says of a participant.
  fileprivate mutating func set(_ permissions: Permissions) {
    canPublish = permissions.grants.contains(.publish)
    canSubscribe = permissions.grants.contains(.subscribe)
    roomAdmin = permissions.grants.contains(.admin)
    roomRecord = permissions.grants.contains(.relay)
    canPublishData = permissions.data ?? canPublish
    canPublishSources = (permissions.sources ?? []).compactMap { tag in
      LiveKit.TrackSource(tag: tag).flatMap { Source($0) }
    }
    if let ownProfile = permissions.ownProfile { canUpdateOwnMetadata = ownProfile }
  }
}

extension VideoGrants.Source {
  init?(_ source: LiveKit.TrackSource) {
    switch source {
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    default: return nil
    }
  }
}

extension LiveKit.TrackSource {
  fileprivate init(_ source: VideoGrants.Source) {
    switch source {
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    }
  }
}
