import Foundation
import Logging
import Relay
import RoomProtocol
import RoomState
import RoomToken
import SFU
import WebRTC

/// One room's truth: who is in it, what they publish, what they get. Everything that happens to a room happens here, one thing
/// after the other; no method waits for anything.
///
/// The sessions call `join`, `handle` and `socketLost`; WHIP and WHEP call `ingest`, `view`, `patch` and `finish`, RTMP `ingest`, `carry` and `ingestLost`; the API calls `kick`, `mute` and `close`; the media worker tells its
/// events. What others have to know goes out on the participants' outlets, what the packets have to know into `media`.
actor Room {
  nonisolated let name: RoomName
  /// Milliseconds since 1970.
  nonisolated let createdAt: Int64
  /// Another each time a room of this name is made; a server that is started again goes on with it.
  nonisolated var session: String { "RS_" + String(createdAt, radix: 36) }
  let settings: Settings
  let surroundings: Surroundings
  let media: MediaRoom
  let log: Logger

  /// Seats, requests, PK, messages and attributes.
  var state: RoomState
  /// The newest change that the store was given.
  var change = StoreTicket()
  var stateTimer: Task<Void, Never>?
  var stateDeadline: Int64?
  private(set) var participants: [UserID: Participant] = [:]
  /// WHEP's, by the last segment of their URL.
  var viewers: [SessionResourceID: Viewer] = [:]
  /// Whom viewers see who named nobody.
  var stage = SpeakerStage()
  var stageChange: Task<Void, Never>?
  /// Running relay jobs by id.
  var jobs: [JobID: RelayJob] = [:]
  /// What jobs decode, by the media worker's id of a track.
  var decodedTracks: [MediaTrackID: DecodedTrack] = [:]
  /// What a PK changes, while there is one.
  var pkStage: PKStage?
  /// What other rooms have of this one, by their names.
  var lending: [RoomName: Lending] = [:]
  /// What mixes may show beside tracks.
  var images = RoomImages()
  /// Mixes that jobs send.
  var mixes: [RoomMix] = []
  /// Tells how the jobs go, while there are any.
  var jobWatch: Task<Void, Never>?
  private(set) var isClosed = false
  /// Who speaks by the media worker's last word, loudest first.
  var activeSpeakers: [UserID] = []
  nonisolated let inbox = RoomInbox()
  /// Calls to other rooms about a PK.
  var peerWork = OrderedWork()
  private var ids = MediaIDs()
  private var emptied: Task<Void, Never>?
  /// Ends the stay of those who do not come back after the server's end.
  var absence: Task<Void, Never>?

  /// - Parameter stored: what it was before the server's end; ``goOn(_:images:)`` has to follow then.
  init(
    name: RoomName, settings: Settings, surroundings: Surroundings, stored: RoomState? = nil,
    openMedia: @Sendable (@escaping @Sendable (MediaEvent) -> Void) -> MediaRoom
  ) {
    self.name = name
    self.settings = settings
    self.surroundings = surroundings
    let now = Self.milliseconds
    createdAt = stored?.createdAt ?? now
    var state = stored ?? RoomState(name: name, createdAt: now, rules: settings.rules)
    if stored != nil { state.restore(at: now) }
    self.state = state
    var log = surroundings.log
    log[metadataKey: "room"] = "\(name)"
    self.log = log
    media = openMedia { [inbox] in inbox.post(.media($0)) }
    let wait = max(settings.emptyTime, Self.firstEmptyTime, stored == nil ? .zero : settings.graceTime)
    Task { await self.listen(emptyTime: wait) }
  }

  deinit { inbox.finish() }

  /// - Parameter emptyTime: what whoever made the room, or was in it, gets to join it.
  private func listen(emptyTime: Duration) {
    startEmptyTime(emptyTime)
    readInbox()
  }

  // MARK: Joining

  /// What became of a join.
  enum Joined: Sendable {
    case joined(sessionId: SessionID)
    case refused(RoomError)
    /// The room closed meanwhile; another may have its name by now.
    case roomIsClosed
  }

  /// Lets a user in, or back in, and answers the request on `outlet`.
  func join(_ token: RoomToken, _ params: JoinParams, request: Int, outlet: any SignalOutlet) -> Joined {
    guard !isClosed else { return .roomIsClosed }
    // Other grants make another session: what the old ones allowed has to end.
    if let old = participants[token.user], let secret = params.resume, secret == old.sessionId, token.grants == old.grants {
      resume(old, token: token, params, request: request, outlet: outlet)
      return .joined(sessionId: old.sessionId)
    }
    if let full = fullSentence(for: token.user, publishes: token.grants.contains(.publish)) {
      return .refused(RoomError(.joinFailed, full))
    }
    if let refusal = refusal(ofGuest: token) { return .refused(refusal) }
    let participant = Participant(
      token: token, outlet: outlet, plan: SubscriptionPlan(automatic: params.autoSubscribe ?? true),
      wantsLevels: params.audioLevels ?? false)
    admit(participant, answering: request)
    renewSubscriptions(of: participant)
    return .joined(sessionId: participant.sessionId)
  }

  private func endDuplicate(of user: UserID) {
    guard let old = participants[user] else { return }
    end(
      old,
      EndedData(
        reason: .duplicateLogin, error: RoomError(.duplicateLogin, "\(user) joined this room on another connection")))
  }

  /// Lets a participant in, in the place of one of the same name, and tells the others.
  /// - Parameter request: the join that is answered before; nil where none is.
  func admit(_ participant: Participant, answering request: Int? = nil) {
    endDuplicate(of: participant.userId)
    stayOpen()
    participants[participant.userId] = participant
    if !participant.isOurs {
      state.advance(to: Self.milliseconds)
      do throws(RoomError) {
        try state.join(participant.userId, grants: participant.grants, pkGuest: participant.token.pk)
      } catch {
        // Every way in asks before. Without a place in the state it can't stay.
        log.error("joined without a place", metadata: ["user": "\(participant.userId)", "reason": "\(error)"])
        if let request { participant.outlet?.send(SignalWriter.error(error, id: request)) }
        return end(participant, EndedData(reason: .roomClosed, error: error))
      }
    }
    if let request, let outlet = participant.outlet {
      answer(request, snapshot(for: participant, resumed: false), on: outlet)
    }
    defer {
      tellState()
      if !participant.isOurs { renewRoomMix() }
    }
    if !participant.isHidden { tell(.joined(participant.info), besides: participant) }
    if !participant.isOurs { report(.participantJoined, participant.info) }
    log.info("joined", metadata: ["user": "\(participant.userId)", "participants": "\(participants.count)"])
  }

  /// Somebody came: the room is not closed for being empty.
  func stayOpen() {
    emptied?.cancel()
    emptied = nil
  }

  private func resume(
    _ participant: Participant, token: RoomToken, _ params: JoinParams, request: Int, outlet: any SignalOutlet
  ) {
    participant.token = token
    if let levels = params.audioLevels { participant.wantsLevels = levels }
    if let automatic = params.autoSubscribe { participant.plan.automatic = automatic }
    surroundings.counters.count { $0.resumes += 1 }
    reconnect(participant, on: outlet) { self.answer(participant, params, request: request, outlet: outlet) }
    log.info("resumed", metadata: ["user": "\(participant.userId)"])
    // The offer may have been lost with the old socket.
    if let pending = participant.subscribing?.pending { send(.offer(pending), to: participant) }
    renewSubscriptions(of: participant)
  }

  /// Answers a join that takes a session up again, with what its client has missed.
  private func answer(_ participant: Participant, _ params: JoinParams, request: Int, outlet: any SignalOutlet) {
    let missed = params.since.map { state.changes(after: $0, for: participant.userId) }
    var result = snapshot(for: participant, resumed: true)
    result.replayed = missed.map { $0 != nil }
    answer(request, result, on: outlet)
    for change in missed.flatMap({ $0 }) ?? [] { send(.changed(change), to: participant) }
  }

  /// Connects a participant again, whichever way it came in, and tells the others.
  /// - Parameter answer: sends what the client has to get before any event.
  func reconnect(_ participant: Participant, on outlet: any SignalOutlet, answer: () -> Void = {}) {
    let wasLost = participant.outlet == nil
    participant.outlet?.close(.replaced)
    participant.grace?.cancel()
    participant.grace = nil
    participant.outlet = outlet
    answer()
    if wasLost { tellConnection(of: participant) }
    changeState { $0.setConnected(participant.userId, true) }
    sendPKToken(to: participant.userId)
  }

  private func snapshot(for participant: Participant, resumed: Bool) -> JoinResult {
    let others = participants.values.filter { $0 !== participant && !$0.isHidden }.sorted { $0.joinedAt < $1.joinedAt }
    var limits = settings.limits.told
    limits.historyMessages = settings.rules.historyMessages
    limits.historyBytes = settings.rules.historyBytes
    var room = state.snapshot(for: participant.userId)
    room.jobs = jobList
    return JoinResult(
      sessionId: participant.sessionId, resumed: resumed, room: room,
      me: participant.info, participants: others.map(\.info), limits: limits,
      pingInterval: Int(settings.pingInterval.milliseconds),
      iceServers: settings.iceServers.isEmpty ? nil : settings.iceServers.map { $0.told(to: participant.userId) })
  }

  // MARK: Leaving

  /// The session's socket is gone: the participant has the grace time to come back on another.
  func socketLost(_ sessionId: SessionID, of user: UserID, outlet: any SignalOutlet) {
    guard let participant = participants[user], participant.sessionId == sessionId, participant.outlet === outlet else {
      return
    }
    lose(participant)
  }

  /// The participant can't be reached: it has the grace time to come back, or so much of it.
  func lose(_ participant: Participant, for grace: Duration? = nil) {
    guard participant.outlet != nil else { return }
    participant.outlet = nil
    tellConnection(of: participant)
    changeState { $0.setConnected(participant.userId, false) }
    let grace = grace ?? settings.graceTime
    log.info("connection lost", metadata: ["user": "\(participant.userId)", "grace": "\(grace)"])
    wait(for: participant, grace)
  }

  /// Ends the session of a participant that can't be reached for so long.
  func wait(for participant: Participant, _ time: Duration) {
    participant.grace?.cancel()
    participant.grace = Task { [weak self, sessionId = participant.sessionId, user = participant.userId] in
      guard (try? await Task.sleep(for: time)) != nil else { return }
      await self?.graceIsOver(sessionId, of: user)
    }
  }

  private func graceIsOver(_ sessionId: SessionID, of user: UserID) {
    guard let participant = participants[user], participant.sessionId == sessionId, participant.outlet == nil else { return }
    end(participant, EndedData(reason: .timedOut))
  }

  /// Takes a participant out of the room, tells it why and the others that it left.
  func end(_ participant: Participant, _ ended: EndedData) {
    guard participants[participant.userId] === participant else { return }
    participants[participant.userId] = nil
    reportLeaving(participant, ended)
    participant.grace?.cancel()
    if let transport = participant.publishing { media.closeTransport(transport.id) }
    if let transport = participant.subscribing { media.closeTransport(transport.id) }
    endIngest(of: participant, ended)
    endMixed(participant)
    endBridge(of: participant)
    let gone = participant.tracks
    participant.tracks = []
    if let outlet = participant.outlet {
      if ended.reason != .left { send(.ended(ended), on: outlet) }
      outlet.close(ended.reason == .serverStopping ? .serverStopping : .sessionEnded)
      participant.outlet = nil
    }
    if !participant.isHidden {
      tell(.left(LeftData(userId: participant.userId, reason: ended.reason)), besides: participant)
    }
    for other in participants.values {
      for track in gone { other.plan.forget(track: track.info.trackId) }
      other.plan.forget(user: participant.userId)
      if !gone.isEmpty { renewSubscriptions(of: other) }
    }
    if !gone.isEmpty { renewReceivers() }
    log.info(
      "left",
      metadata: [
        "user": "\(participant.userId)", "reason": "\(ended.reason)", "participants": "\(participants.count)",
      ])
    if !participant.isOurs {
      changeState { $0.leave(participant.userId, ended.reason) }
      renewRoomMix()
    }
    startEmptyTime(settings.emptyTime)
  }

  /// Why somebody who comes for a PK is not let in.
  func refusal(ofGuest token: RoomToken) -> RoomError? {
    guard token.pk != nil else { return nil }
    var tried = state
    do throws(RoomError) {
      try tried.join(token.user, grants: token.grants, pkGuest: token.pk)
      return nil
    } catch { return error }
  }

  // MARK: The room's own end

  /// A new room is not closed sooner.
  private static let firstEmptyTime = Duration.seconds(10)

  /// Nobody is here but what the server itself brought.
  ///
  /// A room whose anchor is in a PK waits for it: it may have moved, and comes back.
  private var isEmpty: Bool { participants.values.allSatisfy(\.isOurs) && viewers.isEmpty && pkStage == nil }

  func startEmptyTime(_ time: Duration) {
    guard isEmpty, !isClosed else { return }
    emptied?.cancel()
    emptied = Task { [weak self] in
      guard (try? await Task.sleep(for: time)) != nil else { return }
      await self?.closeIfEmpty()
    }
  }

  private func closeIfEmpty() async {
    guard isEmpty else { return }
    await close(EndedData(reason: .roomClosed))
  }

  /// Ends every session with `ended` and closes the room. Nothing happens the second time.
  func close(_ ended: EndedData) async {
    guard !isClosed else { return }
    changeState { $0.close() }
    reportClosing(ended)
    isClosed = true
    stateTimer?.cancel()
    for participant in participants.values {
      participant.grace?.cancel()
      endIngest(of: participant, ended)
      endBridge(of: participant)
      send(.ended(ended), to: participant)
      participant.outlet?.close(ended.reason == .serverStopping ? .serverStopping : .sessionEnded)
    }
    let gone = participants.values
    participants = [:]
    // Not before: the jobs that end with them are nobody's news any more.
    for participant in gone { endMixed(participant) }
    for viewer in viewers.values { viewer.waiting?.cancel() }
    viewers = [:]
    stageChange?.cancel()
    stopJobs()
    absence?.cancel()
    emptied?.cancel()
    // Jobs that are still ending report their end.
    if jobs.isEmpty { inbox.finish() }
    media.close()
    log.info("room closed", metadata: ["reason": "\(ended.reason)"])
    await surroundings.closed(self)
  }

  // MARK: What the rest of the room needs

  /// The participant that publishes a track, and the track.
  func publication(_ trackId: TrackID) -> (owner: Participant, index: Int)? {
    for participant in participants.values {
      if let index = participant.tracks.firstIndex(where: { $0.info.trackId == trackId }) { return (participant, index) }
    }
    return nil
  }

  func nextTransportID() -> TransportID { ids.transport() }
  func nextTrackID() -> MediaTrackID { ids.track() }
  func nextSubscriptionID() -> SubscriptionID { ids.subscription() }

  /// This server's side of a new transport.
  func localTransport(_ role: DTLSRole = .server) -> TransportParameters {
    TransportParameters(
      credentials: .random(), fingerprints: [surroundings.fingerprint], role: role, iceLite: true,
      candidates: media.candidates)
  }
}

extension Duration {
  /// Rounded down.
  var milliseconds: Int64 { components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000 }
}
