import Foundation
import Logging
import RoomProtocol
import RoomWebRTC

/// The connection behind a ``Room``: owns its state and executes the actions of its state machine.
///
/// All input passes through one inbox, in order: socket messages, media transport events and time.
actor RoomSession {
  private enum Input: Sendable {
    case opened(SignalSocket, epoch: Int)
    case notOpened(RoomClientError, epoch: Int)
    case socket(SignalSocket.Incoming, epoch: Int)
    case media(MediaChannel.Event, TransportKind, generation: Int)
    case decoded(RemoteTrack)
    case waited(epoch: Int)
    case networkChanged
    case tick
  }

  nonisolated let store: RoomStateStore
  /// The address, token and options of the join.
  nonisolated let entry: JoinRequest
  /// The address of the room's server; another one after a redirect.
  private var address: SignalAddress
  /// The server that named ``address``; nil without a redirect.
  private var previousAddress: SignalAddress?
  /// The number of redirects since the last join or wait.
  private var redirects = 0
  nonisolated var options: RoomOptions { entry.options }
  let logger = Logger(label: "room.client")

  private let inbox: AsyncStream<Input>
  private let post: AsyncStream<Input>.Continuation
  private var loop: Task<Void, Never>?
  private var ticker: Task<Void, Never>?
  private let network: NetworkFollower
  private var following: Task<Void, Never>?

  var machine = ConnectionMachine.idle
  private var generator = SystemRandomNumberGenerator()
  var link: SignalLink?
  /// Incremented with each socket, so that input of an old one is ignored.
  private var epoch = 0
  /// Messages received after the join's answer, kept until the answer is processed; nil if none are kept.
  private var held: [SignalSocket.Incoming]?
  private var sessionId: SessionID?
  private var starter: CheckedContinuation<Void, any Error>?

  var roster = Roster()
  let media: MediaConnections
  var publisher: Publisher { media.publisher }
  var subscriber: Subscriber { media.subscriber }
  var publishing = AsyncMutex()
  /// The explicit subscriptions, repeated if the server forgot the session.
  var chosen = (trackIds: Set<TrackID>(), userIds: Set<UserID>())
  /// The receptions that differ from the default, for a session that starts anew.
  var receptions: [TrackID: TrackReception] = [:]
  /// Set while this client edits compositions.
  var editing: CompositionEditing?
  /// The number of messages received from the server.
  var heard = 0
  /// The number of the last message that removed this client from its seat, and with it its tracks.
  var seatLostAt = 0
  /// The number of the last change that was sent as an event.
  var lastReportedSeq = 0
  var ownJobs = OwnJobs()
  /// Whether `audioLevels` events are requested.
  var wantsLevels: Bool
  /// Whether tracks are received.
  var isReceiving: Bool
  /// Whether the server may not know that, because the connection was lost.
  var owesReceiving = false
  private var schedule: StatisticsSchedule

  /// The capacity of the inbox. A server that sends faster than the session processes is disconnected.
  private static let inboxLimit = 8192
  /// The largest number of consecutive redirects.
  private static let redirectLimit = 3

  init(_ entry: JoinRequest) throws {
    address = try SignalAddress(entry.url)
    self.entry = entry
    let options = entry.options
    wantsLevels = options.audioLevels
    isReceiving = options.receivesTracks
    schedule = StatisticsSchedule(interval: options.statisticsInterval)
    network = NetworkFollower(options.networkChange, view: options.network)
    store = RoomStateStore(backlog: options.eventBacklog)
    (inbox, post) = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingOldest(Self.inboxLimit))
    let loop = try MediaLoop.next()
    let post = post
    let publisher = Publisher(loop: loop, route: options.route) {
      post.yield(.media($0, .publish, generation: $1))
    }
    let receive: @Sendable (String, DataChannelMessage) -> Void = { [store] in store.receive($1, label: $0) }
    let subscriber = Subscriber(
      loop: loop, videoCodecs: options.videoCodecs, route: options.route, data: options.data ? receive : nil,
      decoded: { post.yield(.decoded($0)) }
    ) {
      post.yield(.media($0, .subscribe, generation: $1))
    }
    media = MediaConnections(publisher: publisher, subscriber: subscriber, logger: logger)
  }

  // MARK: lifecycle

  /// Joins the room. Returns when the server accepts the join.
  func connect() async throws {
    guard loop == nil else { throw RoomClientError.closed }
    let inbox = inbox
    loop = Task { [weak self] in
      for await input in inbox {
        guard let self else { return }
        await self.take(input)
      }
    }
    startTicking()
    following = Task { [network, post] in await network.run { post.yield(.networkChanged) } }
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { starter in
          self.starter = starter
          advance(.start)
        }
      } onCancel: {
        Task { await self.leave() }
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
    try Task.checkCancellation()
  }

  /// Starts a timer that is frequent enough for the statistics interval.
  private func startTicking() {
    ticker?.cancel()
    let (post, pause) = (post, schedule.pause)
    ticker = Task {
      while (try? await Task.sleep(for: pause)) != nil { post.yield(.tick) }
    }
  }

  func setStatisticsInterval(_ interval: Duration?) {
    schedule.set(interval: interval, now: .now)
    if ticker != nil, !machine.state.isClosed { startTicking() }
  }

  /// Returns when the server was informed, so that a program may exit right after it.
  func leave() async {
    await settle()
    let socket = link?.socket
    advance(.leave)
    await socket?.closed()
  }

  /// Waits for the events that the server sent so far, and for the ends of the jobs that this client stopped; at most one
  /// second.
  private func settle() async {
    guard case .connected = machine else { return }
    let events = store.events.jobs.watch()
    // In tasks of their own, because a cancelled task cannot make a call.
    let settling = Task {
      _ = try? await request(.ping)
      guard store.runsAny(of: ownJobs.stopping) else { return }
      for await event in events {
        if case .ended = event, !store.runsAny(of: ownJobs.stopping) { return }
      }
    }
    let deadline = Task {
      try? await Task.sleep(for: .seconds(1))
      settling.cancel()
    }
    await settling.value
    deadline.cancel()
  }

  private func advance(_ event: ConnectionMachine.Event) {
    if case .lost = event, case .opening = machine, let previous = previousAddress {
      // A server that a redirect named may have ended: the one before it may know the room's current server.
      (address, previousAddress) = (previous, address)
      redirects += 1
      if redirects < Self.redirectLimit { return advance(.redirected) }
      redirects = 0
    }
    let before = machine.state
    let action = machine.on(event, policy: options.reconnect, using: &generator)
    if machine.state != before {
      let state = machine.state
      store.change { $0.state = state }
      // Before the first join completes the app has no room and no event stream.
      if starter == nil { store.say(.stateChanged(state)) }
    }
    switch action {
    case .none: break
    case .open: openSocket()
    case .wait(let wait):
      dropLink(.connectionLost("reconnecting"), politely: false)
      redirects = 0
      let epoch = epoch
      let post = post
      Task {
        try? await Task.sleep(for: wait)
        post.yield(.waited(epoch: epoch))
      }
    case .finish(let reason, let notifiesServer): finish(reason, notifiesServer: notifiesServer)
    }
  }

  private func finish(_ reason: CloseReason, notifiesServer: Bool) {
    if notifiesServer { link?.tell(.leave) }
    dropLink(.closed, politely: true)
    epoch += 1
    publisher.close()
    for track in subscriber.close() {
      track.end()
      store.say(.trackUnsubscribed(track))
    }
    store.change { $0.remoteTracks = [:] }
    starter?.resume(throwing: reason.error)
    starter = nil
    ticker?.cancel()
    following?.cancel()
    post.finish()
    store.finish()
  }

  private func dropLink(_ error: RoomClientError, politely: Bool) {
    link?.end(error, politely: politely)
    link = nil
  }

  // MARK: inbox

  private func take(_ input: Input) {
    switch input {
    case .opened(let socket, let epoch):
      guard epoch == self.epoch, case .opening = machine else { return socket.abandon() }
      link = SignalLink(socket, now: .now)
      join()
    case .notOpened(let error, let epoch):
      if epoch == self.epoch { advance(.lost(error)) }
    case .socket(let incoming, let epoch):
      guard epoch == self.epoch else { return }
      if held == nil { take(incoming) } else { held?.append(incoming) }
    case .waited(let epoch):
      if epoch == self.epoch { advance(.waited) }
    case .networkChanged:
      networkChanged()
      // The wait was for a path that no longer matters.
      if case .waiting = machine { advance(.waited) }
    case .media(let event, let direction, let generation):
      guard !machine.state.isClosed else { return }
      for event in media.apply(event, direction, generation: generation) { store.say(event) }
    case .decoded(let track): if subscriber.track(track.trackId) === track { store.say(.firstVideoFrameDecoded(track)) }
    case .tick: tick()
    }
  }

  private func take(_ incoming: SignalSocket.Incoming) {
    switch incoming {
    case .message(let text): hear(text)
    case .closed(let error):
      dropLink(error, politely: false)
      advance(.lost(error))
    }
  }

  private func releaseHeld() {
    let incoming = held ?? []
    held = nil
    for incoming in incoming { take(incoming) }
  }

  private func openSocket() {
    epoch += 1
    held = nil
    let (epoch, post, address, options) = (epoch, post, address, options)
    Task {
      do throws(RoomClientError) {
        let socket = try await SignalSocket.open(
          address, timeout: options.timeout, trust: options.trust
        ) { incoming in
          if case .enqueued = post.yield(.socket(incoming, epoch: epoch)) { true } else { false }
        }
        if case .terminated = post.yield(.opened(socket, epoch: epoch)) { socket.abandon() }
      } catch {
        post.yield(.notOpened(error, epoch: epoch))
      }
    }
  }

  // MARK: calls

  /// Sends a call and waits for its answer. Throws the server's error, the client's own on a lost socket or a timeout, or
  /// `CancellationError`.
  func request<Result: Codable & Sendable>(_ call: SignalCall, for: Result.Type = Empty.self) async throws -> Result {
    try await numberedRequest(call, for: Result.self).result
  }

  /// Like `request`, but returns after the call's changes of the room are applied.
  func change<Result: Codable & Sendable>(_ call: SignalCall, for: Result.Type = Empty.self) async throws -> Result {
    try await numberedRequest(call, for: Result.self, settled: true).result
  }

  /// Like `request`, but also returns the number of the message that was the answer.
  func numberedRequest<Result: Codable & Sendable>(
    _ call: SignalCall, for: Result.Type, settled: Bool = false
  ) async throws -> (result: Result, number: Int) {
    guard let link else { throw machine.state.isClosed ? RoomClientError.closed : .connectionLost("reconnecting") }
    try Task.checkCancellation()
    let (timeout, epoch, id) = (options.timeout, epoch, link.nextId())
    let answer: RequestTable.Answer = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        guard link.call(call, id: id, settled: settled, waiter) else { return }
        Task { [weak self] in
          try? await Task.sleep(for: timeout)
          await self?.abandon(id, epoch: epoch, with: RoomClientError.timedOut(call.method))
        }
      }
    } onCancel: {
      Task { await self.abandon(id, epoch: epoch, with: CancellationError()) }
    }
    let decoded: SignalAnswer<Result>
    do { decoded = try JSONDecoder().decode(SignalAnswer<Result>.self, from: answer.text) } catch {
      logger.debug("the answer to \(call.method) is invalid: \(error)")
      throw RoomClientError.protocolViolation("the answer to \(call.method) is invalid")
    }
    switch decoded {
    case .result(_, let result): return (result, answer.number)
    case .error(_, let error): throw error
    }
  }

  private func abandon(_ id: Int, epoch: Int, with error: any Error) {
    if epoch == self.epoch { link?.abandon(id, with: error) }
  }

  private func join() {
    let params = JoinParams(
      token: entry.token, autoSubscribe: options.autoSubscribe, confirmsTracks: options.shouldSubscribe.map { _ in true },
      audioLevels: wantsLevels, preferSmall: options.preferSmall ? true : nil, data: options.data ? true : nil,
      resume: sessionId, since: sessionId.map { _ in lastReportedSeq })
    let epoch = epoch
    Task {
      do {
        joined(try await request(.join(params), for: JoinResult.self), epoch: epoch)
      } catch {
        refused(error, epoch: epoch)
      }
    }
  }

  private func refused(_ error: any Error, epoch: Int) {
    guard epoch == self.epoch else { return }
    held = nil
    dropLink(.connectionLost("refused"), politely: true)
    if let error = error as? RoomError, redirects < Self.redirectLimit, go(to: error.redirect) {
      redirects += 1
      return advance(.redirected)
    }
    switch error {
    case let error as RoomError: advance(.refused(error))
    case let error as RoomClientError: advance(.lost(error))
    default: advance(.lost(.protocolViolation(String(describing: error))))
    }
  }

  /// Switches to the server at this URL. Returns false if there is no URL, or if it is less secure than the current one.
  private func go(to redirect: String?) -> Bool {
    guard let redirect, let named = try? SignalAddress(redirect), named.isSecure || !address.isSecure else { return false }
    logger.info("the room moves to another server", metadata: ["server": "\(named.host)"])
    (previousAddress, address) = (address, named)
    return true
  }

  /// A wait before the join at a room's next server, so that a large room does not arrive there at once: for each other
  /// participant a millisecond at most.
  private var moveDelay: Duration {
    .milliseconds(Int64.random(in: 0...Int64(min(1000, roster.participants.count)), using: &generator))
  }

  private func joined(_ result: JoinResult, epoch: Int) {
    guard epoch == self.epoch, case .opening(let attempt) = machine else { return }
    defer { releaseHeld() }
    redirects = 0
    sessionId = result.sessionId
    link?.pingInterval = .milliseconds(min(max(result.pingInterval, 100), 60_000))
    let missed = roster.replace(with: result.participants, telling: attempt > 0)
    let before = store.value.room
    store.change { value in
      value.room = result.room
      value.me = result.me
      value.limits = result.limits
      value.participants = roster.participants
    }
    advance(.joined)
    if let server = link?.socket.server { network.connected(to: server) }
    starter?.resume()
    starter = nil
    schedule.joined(now: .now)
    for event in missed { store.say(event) }
    let isOther = before.map { $0.createdAt != result.room.createdAt } ?? false
    let lost = ownJobs.joined(running: result.room.jobs, isOther: isOther)
    catchUp(from: before, replayed: result.replayed ?? false)
    // The server's editor is a connection.
    if let editing { link?.tell(.editComposition(EditCompositionParams(deadline: editing.deadline))) }
    tellReceiving(resumed: result.resumed)
    guard !result.resumed else {
      let reconciled = publisher.reconcile(result.me.tracks)
      if !reconciled.unknown.isEmpty { link?.tell(.unpublish(TrackSelection(trackIds: reconciled.unknown))) }
      reportWithdrawn(reconciled.withdrawn)
      return chooseTracks(roster.tracks)
    }
    endSubscriptions()
    chooseTracks(roster.tracks)
    guard attempt > 0 else { return }
    // A participant that lost its seat no longer publishes.
    let had = before?.seats.contains { $0.userId == result.me.userId } ?? false
    if had, mySeat == nil { forgetPublications() }
    restore(beginning: lost)
  }

  /// Publishes and subscribes again, because the server forgot the session.
  /// - Parameter jobs: the jobs that it also forgot.
  private func restore(beginning jobs: [ForwardParams]) {
    let present = Set(roster.tracks.map(\.info.trackId))
    let trackIds = chosen.trackIds.filter { present.contains($0) }
    let userIds = chosen.userIds.filter { roster.participants[$0] != nil }
    receptions = receptions.filter { present.contains($0.key) }
    if !receptions.isEmpty { link?.tell(.setReception(ReceptionParams(tracks: Array(receptions.values)))) }
    Task {
      do {
        if !trackIds.isEmpty || !userIds.isEmpty { try await subscribe(trackIds: Array(trackIds), userIds: Array(userIds)) }
        if !publisher.isEmpty { try await publishAgain() }
      } catch {
        logger.debug("could not publish and subscribe again: \(error)")
        media.publishRepair.failed(now: .now)
      }
      for job in jobs { await startForwardAgain(job) }
      // If the PK cannot be resumed, the server sends its end.
      if waitsForMe { _ = try? await request(.pk(.resume), for: PKInfo.self) }
    }
  }

  /// Publishes all tracks again. A client that may no longer publish removes its publications.
  private func publishAgain() async throws {
    do {
      try await republish(keepingIds: false)
    } catch let error as RoomError where error.code == .noPermission {
      forgetPublications()
    }
  }

  // MARK: server events

  private func hear(_ text: Data) {
    guard let link else { return }
    heard += 1
    switch link.heard(text, number: heard, now: .now) {
    case .answer: if case .opening = machine { held = [] }
    case .invalid(let what): logger.debug("not understood: \(what)")
    case .event(let event): handle(event)
    }
  }

  private func handle(_ event: SignalEvent) {
    if case .unpublished(let data) = event, data.userId == userId {
      seatLostAt = heard
      return withdrawn(keeping: Set(publisher.published.map(\.trackId)).subtracting(data.trackIds))
    }
    let changes = roster.apply(event)
    if !changes.isEmpty { store.change { $0.participants = roster.participants } }
    switch event {
    case .offer(let data): answer(data)
    case .muteChanged(let data):
      publisher.muted(trackId: data.trackId, data.muted)
      subscriber.track(data.trackId)?.setMuted(data.muted)
    case .layers(let data): for layers in data.layers { publisher.wanted(trackId: layers.trackId, layers.wanted) }
    case .permissionsChanged(let data):
      guard data.userId == userId else { break }
      store.change { value in
        value.me?.grants = data.permissions.grants
        value.me?.permissions = data.permissions
      }
    case .ended(let data):
      if data.reason == .kickedOut { store.say(.kickedOut(by: data.by ?? "")) }
      if data.reason == .serverStopping, go(to: data.redirect) { return advance(.moved(moveDelay)) }
      advance(.ended(data))
    case .changed(let numbered): changed(numbered)
    case .pkToken(let token):
      store.change { $0.pkToken = token }
      store.say(.pkToken(token))
    case .jobChanged(let job): store.change { $0.room?.keep(job) }
    case .stageChanged(let style): store.change { $0.room?.stage = style }
    case .compositionChanging(let data): compositionChanging(data)
    case .jobEnded(let data):
      ownJobs.ended(data.jobId)
      store.change { value in value.room?.jobs.removeAll { $0.jobId == data.jobId } }
    case .playerChanged(let player): store.change { $0.room?.keep(player) }
    case .playerEnded(let data): store.change { $0.room?.players?.removeAll { $0.userId == data.userId } }
    default: break
    }
    for event in changes { store.say(event) }
    if case .published(let data) = event { chooseTracks(data.tracks.map { (data.userId, $0) }) }
  }

  /// Passes tracks to the closure. Confirms the accepted ones if subscription is automatic; otherwise subscribes to them.
  private func chooseTracks(_ tracks: [(userId: UserID, info: TrackInfo)]) {
    guard let wants = options.shouldSubscribe else { return }
    let chosen = tracks.filter { subscriber.track($0.info.trackId) == nil && wants($0.userId, $0.info) }.map(\.info.trackId)
    guard !chosen.isEmpty else { return }
    guard !options.autoSubscribe else {
      link?.tell(.confirmTracks(ConfirmParams(trackIds: chosen)))
      return
    }
    Task {
      do {
        try await subscribe(trackIds: chosen, userIds: [])
      } catch let error as RoomError {
        store.say(.subscribeFailed(trackIds: chosen, error: error))
      } catch {
        // The connection is down; the tracks are requested again after the reconnection.
      }
    }
  }

  // MARK: timer

  private func tick() {
    let now = ContinuousClock.now
    if case .connected = machine, let link, !link.pingIfDue(now: now) {
      dropLink(.connectionLost("the server is silent"), politely: false)
      advance(.lost(.connectionLost("the server is silent")))
    }
    if case .connected = machine, schedule.isDue(now: now) {
      Task { store.say(.statistics(await statistics())) }
    }
    if case .connected = machine { for direction in media.dueRepairs(now: now) { repair(direction) } }
  }

  // MARK: media

  /// Replaces the transport of one direction.
  private func repair(_ direction: TransportKind) {
    switch direction {
    case .subscribe: link?.tell(.resubscribe)
    case .publish:
      Task {
        do {
          try await republish(keepingIds: true)
        } catch {
          logger.debug("the publish transport could not be replaced: \(error)")
        }
      }
    }
  }

  func networkChanged() {
    media.networkChanged()
    // The socket may be dead without an error; a ping detects it.
    link?.probe(now: .now)
  }

  func statistics() async -> RoomStatistics { await media.statistics(of: userId) }
}

extension CloseReason {
  /// The error that a failed join throws.
  var error: any Error {
    switch self {
    case .refused(let error): error
    case .connectionLost(let error): error
    default: RoomClientError.closed
    }
  }
}
