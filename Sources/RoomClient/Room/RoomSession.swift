import Foundation
import Logging
import RoomProtocol
import WebRTC

/// The connection behind a `Room`: owns its truth, and carries out what its state machine says.
///
/// All that happens comes through one inbox, in order: messages of the socket, events of the media transports, time.
actor RoomSession {
  private enum Input: Sendable {
    case opened(SignalSocket, epoch: Int)
    case notOpened(RoomClientError, epoch: Int)
    case socket(SignalSocket.Incoming, epoch: Int)
    case media(MediaChannel.Event, TransportKind, generation: Int)
    case waited(epoch: Int)
    case tick
  }

  nonisolated let board: RoomBoard
  private let address: SignalAddress
  private let token: String
  private let options: RoomOptions
  private let logger = Logger(label: "room.client")

  private let inbox: AsyncStream<Input>
  private let post: AsyncStream<Input>.Continuation
  private var loop: Task<Void, Never>?
  private var ticker: Task<Void, Never>?

  private var machine = ConnectionMachine.idle
  private var generator = SystemRandomNumberGenerator()
  private var link: SignalLink?
  /// Grows with each socket, so that what an old one still says is not taken for the new one's.
  private var epoch = 0
  /// The join's answer has come but is not dealt with yet; what ended the socket meanwhile waits for that.
  private var joinIsAnswered = false
  private var lostBehindAnswer: RoomClientError?
  private var sessionId: String?
  private var starter: CheckedContinuation<Void, any Error>?

  private var roster = Roster()
  private let publisher: Publisher
  private let subscriber: Subscriber
  private var publishing = Turnstile()
  private var publishRepair = MediaRepair()
  private var subscribeRepair = MediaRepair()
  /// What was asked for by `subscribe`, to be asked for again where the server forgot the session.
  private var chosen = (trackIds: Set<String>(), userIds: Set<String>())
  private var meter = StatisticsMeter(began: .now)
  private var nextStatistics: ContinuousClock.Instant?

  /// Messages and events that may wait for the session; a server that sends more than it takes is cut off.
  private static let inboxLimit = 8192

  init(url: String, token: String, options: RoomOptions) throws {
    address = try SignalAddress(url)
    self.token = token
    self.options = options
    board = RoomBoard(backlog: options.eventBacklog)
    (inbox, post) = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingOldest(Self.inboxLimit))
    let loop = try MediaLoop.next()
    let post = post
    publisher = Publisher(loop: loop, override: options.mediaAddressOverride) {
      post.yield(.media($0, .publish, generation: $1))
    }
    subscriber = Subscriber(loop: loop, videoCodecs: options.videoCodecs, override: options.mediaAddressOverride) {
      post.yield(.media($0, .subscribe, generation: $1))
    }
  }

  // MARK: life

  /// Joins; returns when the server let the client in.
  func connect() async throws {
    guard loop == nil else { throw RoomClientError.closed }
    let inbox = inbox
    loop = Task { [weak self] in
      for await input in inbox {
        guard let self else { return }
        await self.take(input)
      }
    }
    let post = post
    // Fast enough for the shortest report interval that makes sense.
    let pause = Duration.seconds(min(0.5, max(0.05, options.statisticsInterval / 2)))
    ticker = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: pause)
        post.yield(.tick)
      }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { starter in
        self.starter = starter
        advance(.start)
      }
    } onCancel: {
      Task { await self.leave() }
    }
  }

  /// Returns when the server has been told, so that a program may end right after it.
  func leave() async {
    let socket = link?.socket
    advance(.leave)
    await socket?.closed()
  }

  private func advance(_ event: ConnectionMachine.Event) {
    let before = machine.state
    let action = machine.on(event, policy: options.reconnect, using: &generator)
    if machine.state != before {
      let state = machine.state
      board.change { $0.state = state }
      // Before the first join is through there is no room, and nobody to listen.
      if starter == nil { board.say(.stateChanged(state)) }
    }
    switch action {
    case .none: break
    case .open: openSocket()
    case .wait(let seconds):
      dropLink(.connectionLost("reconnecting"), politely: false)
      let epoch = epoch
      let post = post
      Task {
        try? await Task.sleep(for: .seconds(seconds))
        post.yield(.waited(epoch: epoch))
      }
    case .finish(let reason, let farewell): finish(reason, farewell: farewell)
    }
  }

  private func finish(_ reason: CloseReason, farewell: Bool) {
    if farewell { link?.tell(.leave) }
    dropLink(.closed, politely: true)
    epoch += 1
    publisher.close()
    for track in subscriber.close() {
      track.end()
      board.say(.trackUnsubscribed(track))
    }
    board.change { $0.remoteTracks = [:] }
    starter?.resume(throwing: reason.error)
    starter = nil
    ticker?.cancel()
    post.finish()
    board.finish()
  }

  private func dropLink(_ error: RoomClientError, politely: Bool) {
    link?.end(error, politely: politely)
    link = nil
  }

  // MARK: the inbox

  private func take(_ input: Input) {
    switch input {
    case .opened(let socket, let epoch):
      guard epoch == self.epoch, case .opening = machine else { return socket.abandon() }
      link = SignalLink(socket, now: .now)
      join()
    case .notOpened(let error, let epoch):
      if epoch == self.epoch { advance(.lost(error)) }
    case .socket(.message(let text), let epoch):
      if epoch == self.epoch { hear(text) }
    case .socket(.closed(let error), let epoch):
      guard epoch == self.epoch else { return }
      dropLink(error, politely: false)
      if joinIsAnswered { lostBehindAnswer = error } else { advance(.lost(error)) }
    case .waited(let epoch):
      if epoch == self.epoch { advance(.waited) }
    case .media(let event, let direction, let generation): media(event, direction, generation: generation)
    case .tick: tick()
    }
  }

  private func openSocket() {
    epoch += 1
    joinIsAnswered = false
    lostBehindAnswer = nil
    let (epoch, post, address, options) = (epoch, post, address, options)
    Task {
      do throws(RoomClientError) {
        let socket = try await SignalSocket.open(
          address, timeout: options.timeout, verifyCertificate: options.verifyCertificate
        ) { incoming in
          if case .dropped = post.yield(.socket(incoming, epoch: epoch)) {
            post.yield(.socket(.closed(.connectionLost("more messages than the client takes")), epoch: epoch))
          }
        }
        if case .terminated = post.yield(.opened(socket, epoch: epoch)) { socket.abandon() }
      } catch {
        post.yield(.notOpened(error, epoch: epoch))
      }
    }
  }

  // MARK: calls

  /// Asks and waits; throws the server's error, or the client's own when the socket is lost or the answer does not come.
  private func request<Result: Codable & Sendable>(_ call: SignalCall, for: Result.Type = Empty.self) async throws -> Result {
    guard let link else { throw machine.state.isClosed ? RoomClientError.closed : .connectionLost("reconnecting") }
    let timeout = options.timeout
    let text: Data = try await withCheckedThrowingContinuation { waiter in
      guard let id = link.call(call, waiter) else { return }
      let epoch = epoch
      Task { [weak self] in
        try? await Task.sleep(for: .seconds(timeout))
        await self?.expire(id, call.method, epoch: epoch)
      }
    }
    switch try JSONDecoder().decode(SignalAnswer<Result>.self, from: text) {
    case .result(_, let result): return result
    case .error(_, let error): throw error
    }
  }

  private func expire(_ id: Int, _ method: String, epoch: Int) {
    if epoch == self.epoch { link?.expire(id, method) }
  }

  private func join() {
    let params = JoinParams(
      token: token, autoSubscribe: options.autoSubscribe, audioLevels: options.audioLevels, resume: sessionId)
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
    joinIsAnswered = false
    dropLink(.connectionLost("refused"), politely: true)
    switch error {
    case let error as RoomError: advance(.refused(error))
    case let error as RoomClientError: advance(.lost(error))
    default: advance(.lost(.protocolViolation(String(describing: error))))
    }
  }

  private func joined(_ result: JoinResult, epoch: Int) {
    guard epoch == self.epoch, case .opening(let attempt) = machine else { return }
    joinIsAnswered = false
    defer { if let error = lostBehindAnswer { advance(.lost(error)) } }
    sessionId = result.sessionId
    link?.pingInterval = .milliseconds(min(max(result.pingInterval, 100), 60_000))
    let missed = roster.replace(with: result.participants, telling: attempt > 0)
    board.change { value in
      value.room = result.room
      value.me = result.me
      value.limits = result.limits
      value.participants = roster.participants
    }
    advance(.joined)
    starter?.resume()
    starter = nil
    nextStatistics = .now + .seconds(options.statisticsInterval)
    for event in missed { board.say(event) }
    guard !result.resumed else { return chooseTracks(roster.tracks) }
    endSubscriptions()
    chooseTracks(roster.tracks)
    if attempt > 0 { startAnew() }
  }

  /// The server forgot the session: what was published and chosen is asked for again.
  private func startAnew() {
    let present = Set(roster.tracks.map(\.info.trackId))
    let trackIds = chosen.trackIds.filter { present.contains($0) }
    let userIds = chosen.userIds.filter { roster.participants[$0] != nil }
    Task {
      do {
        if !trackIds.isEmpty || !userIds.isEmpty { try await subscribe(trackIds: Array(trackIds), userIds: Array(userIds)) }
        if !publisher.isEmpty { try await republish(keepingIds: false) }
      } catch {
        logger.debug("could not take up again what was before: \(error)")
        publishRepair.failed(now: .now)
      }
    }
  }

  // MARK: events of the server

  private func hear(_ text: Data) {
    guard let link else { return }
    switch link.heard(text, now: .now) {
    case .answer: if case .opening = machine { joinIsAnswered = true }
    case .nonsense(let what): logger.debug("not understood: \(what)")
    case .event(let event): handle(event)
    }
  }

  private func handle(_ event: SignalEvent) {
    let told = roster.apply(event)
    if !told.isEmpty { board.change { $0.participants = roster.participants } }
    switch event {
    case .offer(let data): answer(data)
    case .muteChanged(let data):
      publisher.muted(trackId: data.trackId, data.muted)
      subscriber.track(data.trackId)?.setMuted(data.muted)
    case .ended(let data):
      if data.reason == .kickedOut { board.say(.kickedOut(by: data.by ?? "")) }
      advance(.ended(data))
    default: break
    }
    for event in told { board.say(event) }
    if case .published(let data) = event { chooseTracks(data.tracks.map { (data.userId, $0) }) }
  }

  /// Asks for the tracks that the closure wants, where subscription is not automatic.
  private func chooseTracks(_ tracks: [(userId: String, info: TrackInfo)]) {
    guard !options.autoSubscribe, let wants = options.shouldSubscribe else { return }
    let chosen = tracks.filter { wants($0.userId, $0.info) && subscriber.track($0.info.trackId) == nil }.map(\.info.trackId)
    guard !chosen.isEmpty else { return }
    Task {
      do {
        try await subscribe(trackIds: chosen, userIds: [])
      } catch let error as RoomError {
        board.say(.subscribeFailed(trackIds: chosen, error: error))
      } catch {
        // The connection is down; the tracks are asked for again when it is back.
      }
    }
  }

  // MARK: publishing

  func publish(_ tracks: [any LocalTrack]) async throws {
    guard !tracks.isEmpty else { return }
    await enter()
    defer { publishing.leave() }
    var claimed: [any LocalTrack] = []
    do {
      for track in tracks {
        guard track.feed.claim(by: self) else { throw RoomClientError.trackInUse }
        claimed.append(track)
      }
      let refused = try await commit(try publisher.propose(adding: tracks))
      guard refused.isEmpty else {
        try? await take(back: tracks.filter { track in !refused.contains { $0 === track } })
        throw RoomClientError.negotiationFailed("the server takes the codec of \(refused.map(\.tag)) not")
      }
    } catch {
      for track in claimed { track.feed.release() }
      throw error
    }
  }

  func unpublish(_ tracks: [any LocalTrack]) async throws {
    await enter()
    defer { publishing.leave() }
    guard tracks.allSatisfy({ publisher.holds($0) }) else { throw RoomClientError.trackUnknown }
    try await take(back: tracks)
  }

  private func take(back tracks: [any LocalTrack]) async throws {
    let ids = tracks.compactMap(\.trackId)
    let _: Empty = try await request(.unpublish(TrackSelection(trackIds: ids)))
    publisher.remove(tracks)
    board.change { $0.me?.tracks.removeAll { ids.contains($0.trackId) } }
    if publisher.isEmpty { publishRepair.closed() }
  }

  /// Publishes all tracks anew, over a new transport.
  private func republish(keepingIds: Bool) async throws {
    await enter()
    defer { publishing.leave() }
    guard !publisher.isEmpty else { return }
    for track in try await commit(try publisher.proposeRestart(keepingIds: keepingIds)) { track.feed.release() }
  }

  /// Asks the server for what is proposed; gives the tracks that it refused.
  private func commit(_ proposal: Publisher.Proposal) async throws -> [any LocalTrack] {
    do {
      let result = try await request(.publish(proposal.params), for: PublishResult.self)
      let generation = publisher.generation
      let refused = try publisher.accept(proposal, result)
      if publisher.generation != generation { publishRepair.opened(now: .now) }
      board.change { value in
        for published in result.tracks {
          value.me?.tracks.removeAll { $0.trackId == published.track.trackId }
          value.me?.tracks.append(published.track)
        }
      }
      return refused
    } catch let error as NegotiationError {
      publisher.abandon(proposal)
      throw RoomClientError.negotiationFailed(error.description)
    } catch {
      publisher.abandon(proposal)
      // Nobody knows whether the server took it: only a new transport is sure to agree with it.
      if case RoomClientError.timedOut = error, publisher.isOpen { publishRepair.failed(now: .now) }
      throw error
    }
  }

  private func enter() async {
    guard !publishing.tryEnter() else { return }
    await withCheckedContinuation { publishing.wait($0) }
  }

  func mute(_ track: any LocalTrack, _ muted: Bool) async throws {
    guard publisher.holds(track), let trackId = track.trackId else { throw RoomClientError.trackUnknown }
    try await mute(trackId: trackId, muted)
  }

  func mute(trackId: String, _ muted: Bool) async throws {
    let _: Empty = try await request(.mute(MuteParams(trackId: trackId, muted: muted)))
    publisher.muted(trackId: trackId, muted)
  }

  func kick(userId: String) async throws { let _: Empty = try await request(.kick(UserParams(userId: userId))) }

  // MARK: subscribing

  func subscribe(trackIds: [String], userIds: [String]) async throws {
    let _: Empty = try await request(.subscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.formUnion(trackIds)
    chosen.userIds.formUnion(userIds)
  }

  func unsubscribe(trackIds: [String], userIds: [String]) async throws {
    let _: Empty = try await request(.unsubscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.subtract(trackIds)
    chosen.userIds.subtract(userIds)
  }

  /// Answers an offer for the subscribe transport, and tells what it changed.
  private func answer(_ offer: OfferData) {
    do {
      let generation = subscriber.generation
      let change = try subscriber.answer(offer) { roster.track($0)?.info }
      if subscriber.generation != generation { subscribeRepair.opened(now: .now) }
      link?.tell(.answer(AnswerParams(offer: offer.offer, sdp: change.answer)))
      show(begun: change.begun, ended: change.ended)
    } catch {
      logger.debug("an offer could not be answered: \(error)")
      subscribeRepair.failed(now: .now)
    }
  }

  private func show(begun: [RemoteTrack], ended: [RemoteTrack]) {
    board.change { value in
      for track in ended { value.remoteTracks[track.trackId] = nil }
      for track in begun { value.remoteTracks[track.trackId] = track }
    }
    for track in ended {
      track.end()
      board.say(.trackUnsubscribed(track))
    }
    for track in begun { board.say(.trackSubscribed(track)) }
    if subscriber.isEmpty { subscribeRepair.closed() }
  }

  private func endSubscriptions() {
    show(begun: [], ended: subscriber.close())
    subscribeRepair.closed()
  }

  // MARK: media

  private func media(_ event: MediaChannel.Event, _ direction: TransportKind, generation: Int) {
    guard generation == (direction == .publish ? publisher.generation : subscriber.generation), !machine.state.isClosed else {
      return
    }
    switch event {
    case .connected: mediaChanged(direction, isUp: true) { $0.connected() }
    case .disconnected:
      mediaChanged(direction, isUp: false) { $0.disconnected(now: .now) }
      // Perhaps it is this side's address that changed.
      if direction == .publish { publisher.networkChanged() } else { subscriber.networkChanged() }
    case .failed(let reason):
      logger.debug("the \(direction) transport failed: \(reason)")
      mediaChanged(direction, isUp: false) { $0.failed(now: .now) }
    case .firstFrame(let trackId):
      if let track = subscriber.track(trackId) { board.say(.firstFrame(track)) }
    }
  }

  private func mediaChanged(_ direction: TransportKind, isUp: Bool, _ note: (inout MediaRepair) -> Void) {
    let wasUp: Bool
    switch direction {
    case .publish:
      wasUp = publisher.isConnected
      publisher.connected(isUp)
      note(&publishRepair)
    case .subscribe:
      wasUp = subscriber.isConnected
      subscriber.connected(isUp)
      note(&subscribeRepair)
    }
    if wasUp != isUp { board.say(.mediaConnectionChanged(direction, connected: isUp)) }
  }

  func networkChanged() async {
    publisher.networkChanged()
    subscriber.networkChanged()
    // The socket may be dead without knowing it: asking tells.
    link?.doubt(now: .now)
  }

  private func repairMedia(now: ContinuousClock.Instant) {
    guard case .connected = machine else { return }
    if !publisher.isEmpty, publishRepair.isDue(now: now) {
      Task {
        do {
          try await republish(keepingIds: true)
        } catch {
          logger.debug("the publish transport could not be replaced: \(error)")
        }
      }
    }
    if subscriber.isOpen, subscribeRepair.isDue(now: now) { link?.tell(.resubscribe) }
  }

  func statistics() async -> RoomStatistics {
    let userId = board.value.me?.userId ?? ""
    var transports: [TransportStatistics] = []
    var locals: [StatisticsMeter.Local] = []
    var remotes: [StatisticsMeter.Remote] = []
    let (published, received) = (publisher.published, subscriber.received)
    if let statistics = await publisher.transport?.statistics() {
      transports.append(
        TransportStatistics(
          direction: .publish, connected: publisher.isConnected,
          roundTripTime: statistics.roundTripTime.map { Double($0) / 1000 },
          targetKbps: Double(statistics.targetBitrate) / 1000))
      for (trackId, mid, track) in published {
        let video = track as? LocalVideoTrack
        locals.append(
          StatisticsMeter.Local(
            info: TrackInfo(trackId: trackId, kind: track.kind, width: video?.width, height: video?.height), userId: userId,
            counts: statistics.senders[mid] ?? SenderStatistics(), framesDropped: track.feed.dropped))
      }
    }
    if let statistics = await subscriber.transport?.statistics() {
      transports.append(
        TransportStatistics(
          direction: .subscribe, connected: subscriber.isConnected,
          roundTripTime: statistics.roundTripTime.map { Double($0) / 1000 }))
      for (mid, track) in received {
        remotes.append(
          StatisticsMeter.Remote(
            info: track.info, userId: track.userId, counts: statistics.receivers[mid] ?? ReceiverStatistics(),
            unread: track.unread, roundTripTime: statistics.roundTripTime))
      }
    }
    return meter.report(locals: locals, remotes: remotes, transports: transports, now: .now)
  }

  // MARK: time

  private func tick() {
    let now = ContinuousClock.now
    if case .connected = machine, let link, !link.beat(now: now) {
      dropLink(.connectionLost("the server fell silent"), politely: false)
      advance(.lost(.connectionLost("the server fell silent")))
    }
    if case .connected = machine, let due = nextStatistics, now >= due {
      nextStatistics = now + .seconds(options.statisticsInterval)
      Task { board.say(.statistics(await statistics())) }
    }
    repairMedia(now: now)
  }
}

extension CloseReason {
  /// What a join throws that ended like this.
  var error: any Error {
    switch self {
    case .refused(let error): error
    case .connectionLost(let error): error
    default: RoomClientError.closed
    }
  }
}
