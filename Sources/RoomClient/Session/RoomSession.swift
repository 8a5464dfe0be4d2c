import Foundation
import Logging
import RoomProtocol
import RoomWebRTC

/// The connection behind a ``Room``: owns its state and executes the actions of its state machine.
///
/// All input passes through one inbox, in order: socket messages, media transport events and time.
actor RoomSession {
  nonisolated let store: RoomStateStore
  /// The address, token and options of the join.
  nonisolated let entry: JoinRequest
  nonisolated var options: RoomOptions { entry.options }
  nonisolated var userId: UserID { store.userId }
  let logger = Logger(label: "room.client")

  private let inbox: AsyncStream<SessionInput>
  private let post: AsyncStream<SessionInput>.Continuation
  private var loop: Task<Void, Never>?
  private var ticker: Task<Void, Never>?
  private let network: NetworkFollower
  private var following: Task<Void, Never>?

  var machine = ConnectionMachine.idle
  private var generator = SystemRandomNumberGenerator()
  let calls: SessionCalls
  private var link: SignalLink? { calls.link }
  private var epoch: Int { calls.epoch }
  private let sockets: SessionSockets
  private var route: ServerRoute {
    get { sockets.route }
    set { sockets.route = newValue }
  }
  /// Messages received after the join's answer, kept until the answer is processed; nil if none are kept.
  private var held: [SignalSocket.Incoming]?
  private var sessionId: SessionID?
  private var starter: CheckedContinuation<Void, any Error>?

  let mirror: RoomMirror
  let media: MediaConnections
  let publications: Publications
  let subscriptions: Subscriptions
  private var publisher: Publisher { media.publisher }
  private var subscriber: Subscriber { media.subscriber }
  /// Set while this client edits compositions.
  var editing: CompositionEditing?
  var ownJobs = OwnJobs()
  private var schedule: StatisticsSchedule

  /// The capacity of the inbox. A server that sends faster than the session processes is disconnected.
  private static let inboxLimit = 8192

  init(_ entry: JoinRequest) throws {
    let address = try SignalAddress(entry.url)
    self.entry = entry
    let options = entry.options
    schedule = StatisticsSchedule(interval: options.statisticsInterval)
    network = NetworkFollower(options.networkChange, view: options.network)
    store = RoomStateStore(backlog: options.eventBacklog)
    mirror = RoomMirror(store)
    (inbox, post) = AsyncStream.makeStream(of: SessionInput.self, bufferingPolicy: .bufferingOldest(Self.inboxLimit))
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
    calls = SessionCalls(timeout: options.timeout, logger: logger) { post.yield(.abandoned($0)) }
    sockets = SessionSockets(ServerRoute(address), calls, options, logger, post)
    publications = Publications(calls, media, store)
    subscriptions = Subscriptions(calls, media, store, logger, options)
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
    // A server that a redirect named may have ended, and so may the one that named it.
    if case .lost = event, machine.joiningAttempt != nil, route.takeSpare() || route.goBack() {
      return advance(.redirected)
    }
    // Another server continues the session if this one has ended, and its media has then.
    if case .lost = event, case .connected = machine, route.hasSpare, options.reconnect.tries != 0 {
      return advance(.moved(moveDelay))
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
    case .open:
      held = nil
      sockets.open()
    case .wait(let wait):
      calls.drop(.connectionLost("reconnecting"), politely: false)
      route.settled()
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
    if notifiesServer { calls.tell(.leave) }
    calls.drop(.closed, politely: true)
    calls.epoch += 1
    calls.isClosed = true
    sockets.endLeaving()
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

  // MARK: inbox

  private func take(_ input: SessionInput) {
    switch input {
    case .opened(let socket, let epoch):
      guard epoch == self.epoch, case .opening = machine else { return socket.abandon() }
      calls.link = SignalLink(socket, now: .now)
      join()
    case .alternative(let socket, let address, let epoch):
      guard sockets.switchServer(to: address, socket, epoch: epoch, if: machine == .connected) else { return socket.abandon() }
      held = nil
      advance(.switched)
      join()
    case .noAlternative(let error, let address):
      logger.info("the server to continue at does not answer", metadata: ["reason": "\(error)"])
      sockets.drop(address)
      leaveServer()
    case .notOpened(let error, let epoch):
      if epoch == self.epoch { advance(.lost(error)) }
    case .socket(let incoming, let epoch):
      if sockets.isLeaving(epoch) {
        // Before the join elsewhere, events of this server still count.
        guard let event = sockets.takeLast(incoming), case .moving = machine else { return }
        if case .ended = event { return }
        return handle(event)
      }
      guard epoch == self.epoch else { return }
      if held == nil { take(incoming) } else { held?.append(incoming) }
    case .waited(let epoch):
      if epoch == self.epoch { advance(.waited) }
    case .abandoned(let call): calls.abandon(call)
    case .networkChanged:
      networkChanged()
      // The wait was for a path that no longer matters.
      if case .waiting = machine { advance(.waited) }
    case .media(let event, let direction, let generation):
      guard !machine.state.isClosed else { return }
      // A server that has ended answers no ping either.
      if case .disconnected = event, route.hasSpare { link?.probe(now: .now) }
      for event in media.apply(event, direction, generation: generation) { store.say(event) }
    case .decoded(let track): if subscriber.track(track.trackId) === track { store.say(.firstVideoFrameDecoded(track)) }
    case .tick: tick()
    }
  }

  private func take(_ incoming: SignalSocket.Incoming) {
    switch incoming {
    case .message(let text): hear(text)
    case .closed(let error):
      calls.drop(error, politely: false)
      advance(.lost(error))
    }
  }

  private func releaseHeld() {
    let incoming = held ?? []
    held = nil
    for incoming in incoming { take(incoming) }
  }

  /// Begins to continue the session at another server. This one serves the client meanwhile.
  private func leaveServer() { if case .connected = machine { sockets.openAlternative() } }

  // MARK: calls

  /// Sends a call and waits for its answer. Throws the server's error, the client's own on a lost socket or a timeout, or
  /// `CancellationError`.
  func request<Result: Codable & Sendable>(_ call: SignalCall, for: Result.Type = Empty.self) async throws -> Result {
    try await calls.numberedRequest(call, for: Result.self).result
  }

  /// Like `request`, but returns after the call's changes of the room are applied.
  func change<Result: Codable & Sendable>(_ call: SignalCall, for: Result.Type = Empty.self) async throws -> Result {
    try await calls.numberedRequest(call, for: Result.self, settled: true).result
  }

  private func join() {
    let params = JoinParams(
      token: entry.token, autoSubscribe: options.autoSubscribe, confirmsTracks: options.shouldSubscribe.map { _ in true },
      audioLevels: subscriptions.wantsLevels, preferSmall: options.preferSmall ? true : nil, data: options.data ? true : nil,
      resume: sessionId, since: sessionId.map { _ in mirror.lastReportedSeq }, moves: true)
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
    calls.drop(.connectionLost("refused"), politely: true)
    if let error = error as? RoomError, route.mayFollow, go(to: error.redirect) {
      route.redirected()
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
    guard route.follow(redirect) else { return false }
    logger.info("the room moves to another server", metadata: ["server": "\(route.address.host)"])
    return true
  }

  /// A wait before the join at a room's next server, so that a large room does not arrive there at once: for each other
  /// participant a millisecond at most.
  private var moveDelay: Duration {
    .milliseconds(Int64.random(in: 0...Int64(min(1000, mirror.participants.count)), using: &generator))
  }

  private func joined(_ result: JoinResult, epoch: Int) {
    guard epoch == self.epoch, let attempt = machine.joiningAttempt else { return }
    defer { releaseHeld() }
    route.settled()
    sessionId = result.sessionId
    link?.pingInterval = .milliseconds(min(max(result.pingInterval, 100), 60_000))
    let before = store.value.room
    let missed = mirror.joined(result, isFirst: attempt == 0)
    advance(.joined)
    if let server = link?.socket.server { network.connected(to: server) }
    starter?.resume()
    starter = nil
    schedule.joined(now: .now)
    for event in missed { store.say(event) }
    let isOther = before.map { $0.createdAt != result.room.createdAt } ?? false
    let lost = ownJobs.joined(running: result.room.jobs, isOther: isOther)
    mirror.catchUp(from: before, replayed: result.replayed ?? false)
    // The server's editor is a connection.
    if let editing { calls.tell(.editComposition(EditCompositionParams(deadline: editing.deadline))) }
    subscriptions.tellReceiving(resumed: result.resumed)
    if result.moved == true {
      // The tracks that an ended server had are published anew.
      if !publisher.isEmpty { repair(.publish) }
      return chooseTracks(mirror.tracks)
    }
    guard !result.resumed else {
      let reconciled = publisher.reconcile(result.me.tracks)
      if !reconciled.unknown.isEmpty { calls.tell(.unpublish(TrackSelection(trackIds: reconciled.unknown))) }
      publications.reportWithdrawn(reconciled.withdrawn)
      return chooseTracks(mirror.tracks)
    }
    subscriptions.end()
    chooseTracks(mirror.tracks)
    guard attempt > 0 else { return }
    // A participant that lost its seat no longer publishes.
    let had = before?.seats.contains { $0.userId == result.me.userId } ?? false
    if had, mirror.mySeat == nil { publications.forgetAll() }
    restore(beginning: lost)
  }

  /// Publishes and subscribes again, because the server forgot the session.
  /// - Parameter jobs: the jobs that it also forgot.
  private func restore(beginning jobs: [ForwardParams]) {
    let (trackIds, userIds) = subscriptions.restore(present: Set(mirror.tracks.map(\.info.trackId))) {
      mirror.participants[$0] != nil
    }
    Task {
      do {
        if !trackIds.isEmpty || !userIds.isEmpty { try await subscribe(trackIds: trackIds, userIds: userIds) }
        if !publisher.isEmpty { try await publishAgain() }
      } catch {
        logger.debug("could not publish and subscribe again: \(error)")
        media.publishRepair.failed(now: .now)
      }
      for job in jobs { await startForwardAgain(job) }
      // If the PK cannot be resumed, the server sends its end.
      if mirror.waitsForMe { _ = try? await request(.pk(.resume), for: PKInfo.self) }
    }
  }

  /// Publishes all tracks again. A client that may no longer publish removes its publications.
  private func publishAgain() async throws {
    do {
      try await publications.republish(keepingIds: false)
    } catch let error as RoomError where error.code == .noPermission {
      publications.forgetAll()
    }
  }

  // MARK: server events

  private func hear(_ text: Data) {
    guard let link else { return }
    calls.received += 1
    switch link.heard(text, number: calls.received, now: .now) {
    case .answer: if machine.joiningAttempt != nil { held = [] }
    case .invalid(let what): logger.debug("not understood: \(what)")
    case .event(let event): handle(event)
    }
  }

  private func handle(_ event: SignalEvent) {
    if case .unpublished(let data) = event, data.userId == userId {
      return publications.lost(data.trackIds)
    }
    let news = mirror.apply(event)
    switch event {
    case .offer(let data):
      subscriptions.answer(data) {
        mirror.track($0)
      } receive: { [weak self] in
        try await self?.setReception($0)
      }
    case .muteChanged(let data):
      publisher.muted(trackId: data.trackId, data.muted)
      subscriber.track(data.trackId)?.setMuted(data.muted)
    case .layers(let data): for layers in data.layers { publisher.wanted(trackId: layers.trackId, layers.wanted) }
    case .alternatives(let data):
      route.setSpares(data.urls)
      if data.leave { leaveServer() }
    case .ended(let data):
      if data.reason == .kickedOut { store.say(.kickedOut(by: data.by ?? "")) }
      if data.reason == .serverStopping, go(to: data.redirect) { return advance(.moved(moveDelay)) }
      advance(.ended(data))
    case .changed(let numbered): if mirror.apply(numbered) { publications.lost(keeping: []) }
    case .compositionChanging(let data): compositionChanging(data)
    case .jobEnded(let data): ownJobs.ended(data.jobId)
    default: break
    }
    for event in news { store.say(event) }
    if case .published(let data) = event { chooseTracks(data.tracks.map { (data.userId, $0) }) }
  }

  /// Passes tracks to the closure. Confirms the accepted ones if subscription is automatic; otherwise subscribes to them.
  private func chooseTracks(_ tracks: [(userId: UserID, info: TrackInfo)]) {
    guard let wants = options.shouldSubscribe else { return }
    let chosen = tracks.filter { subscriber.track($0.info.trackId) == nil && wants($0.userId, $0.info) }.map(\.info.trackId)
    guard !chosen.isEmpty else { return }
    guard !options.autoSubscribe else {
      calls.tell(.confirmTracks(ConfirmParams(trackIds: chosen)))
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
      calls.drop(.connectionLost("the server is silent"), politely: false)
      advance(.lost(.connectionLost("the server is silent")))
    }
    if case .connected = machine, schedule.isDue(now: now) {
      Task { store.say(.statistics(await statistics())) }
    }
    if case .connected = machine { for direction in media.dueRepairs(now: now) { repair(direction) } }
    subscriber.endLeaving(now: now)
    sockets.endLeavingIfDue(now: now)
  }

  // MARK: media

  /// Replaces the transport of one direction.
  private func repair(_ direction: TransportKind) {
    switch direction {
    case .subscribe: calls.tell(.resubscribe)
    case .publish:
      Task {
        do {
          try await publications.republish(keepingIds: true)
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
