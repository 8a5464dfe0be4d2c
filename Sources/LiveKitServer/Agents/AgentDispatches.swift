import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import RoomServer
import RoomToken
import Synchronization

/// The agents of this server's rooms: runs an ``AgentDispatcher`` on the connections of workers, the events of rooms and the store.
actor AgentDispatches: WebhookEventSink, RoomAgents {
  /// What is handled in order: events of rooms, and what has to follow them.
  private enum Item: Sendable {
    case event(WebhookEvent)
    case withdraw(RoomName)
    /// Resumes a caller that waits for what comes before.
    case mark(CheckedContinuation<Void, Never>)
  }

  /// What waits to be handled. Events beyond it are lost, and counted.
  private static let capacity = 65_536
  /// The time between two attempts to read the store.
  private static let pause = Duration.milliseconds(500)

  private static let events: Set<WebhookEvent.Name> = [
    .roomCreated, .roomRestored, .roomClosed, .participantJoined, .participantLeft, .trackPublished,
  ]
  private static let eventsOfPeople: Set<WebhookEvent.Name> = [.participantJoined, .participantLeft, .trackPublished]

  private let documents: Documents<AgentDispatch>
  private let keys: TokenKeys
  private let log: Logger
  private let items: AsyncStream<Item>
  private nonisolated let input: AsyncStream<Item>.Continuation
  /// Whether there are neither workers nor dispatches: then nobody's coming and going is of interest.
  private nonisolated let isIdle = Atomic(true)
  private nonisolated let lost = Atomic(0)
  private var dispatcher = AgentDispatcher()
  private var links: [String: AgentLink] = [:]
  private var directory: RoomDirectory?
  private var announcements = AgentAnnouncements()
  /// Rooms whose stored dispatches are still to be read, with their incarnations.
  private var restored: [RoomName: String] = [:]
  private var restoring: Task<Void, Never>?
  private var isStopping = false
  private var alarm: (time: Instant, task: Task<Void, Never>)?

  init(_ store: any DocumentStore, keys: TokenKeys, log: Logger) {
    documents = Documents(store, .dispatch, log: log)
    self.keys = keys
    self.log = log
    (items, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  private var now: Instant { .now }
  private var time: Int64 { WebhookEvent.now() }

  /// Handles the events of rooms until the task is cancelled.
  func run(_ directory: RoomDirectory) async {
    self.directory = directory
    for await item in items {
      switch item {
      case .event(let event): await handle(event)
      case .withdraw(let room): announcements.remove(room)
      case .mark(let continuation): continuation.resume()
      }
    }
  }

  // MARK: Rooms

  nonisolated func tell(_ event: WebhookEvent) {
    guard Self.events.contains(event.name) else { return }
    if Self.eventsOfPeople.contains(event.name), isIdle.load(ordering: .relaxed) { return }
    if case .dropped = input.yield(.event(event)) { lost.add(1, ordering: .relaxed) }
  }

  func announce(_ agents: [RoomAgent], for room: ForeignName) {
    if !announcements.add(agents, for: room, at: now) { dispatcher.counts.refused += 1 }
  }

  nonisolated func withdraw(_ room: RoomName) { input.yield(.withdraw(room)) }

  /// Returns once all events so far are handled, and what follows from them is stored.
  /// - Throws: `unavailable` if the store does not answer.
  func settle() async throws(TwirpError) {
    await withCheckedContinuation { continuation in
      if case .enqueued = input.yield(.mark(continuation)) { return }
      continuation.resume()
    }
    await restoring?.value
    try await stored()
  }

  /// Ignores what follows, because the rooms end only for this server. Returns once all changes are stored.
  func stop() async {
    isStopping = true
    alarm?.task.cancel()
    try? await documents.settled()
    // It also has this as a receiver of events.
    directory = nil
  }

  private func handle(_ event: WebhookEvent) async {
    guard !isStopping else { return }
    let (room, session) = (event.room, event.session)
    switch (event.name, event.data) {
    case (.roomCreated, _):
      for dispatch in announcements.take(room, session: session, at: time) { _ = dispatcher.add(dispatch, at: now, time) }
      dispatcher.open(room, session: session, at: now, time)
    case (.roomRestored, _):
      restored[room] = session
      if restoring == nil { restoring = Task { await self.restore() } }
    case (.roomClosed, _): dispatcher.close(room, session: session, at: time)
    case (_, let info as ParticipantInfo): meet(info, in: room, session: session)
    case (_, let left as WebhookEventData.Left):
      dispatcher.leave(left.userId, room, isRemoved: left.reason == .kickedOut, at: now, time)
    case (_, let published as WebhookEventData.Published):
      guard dispatcher.servesPeople else { return }
      if let info = await directory?.room(room)?.read({ $0.participant(published.userId) }) {
        meet(info, in: room, session: session)
      }
    default: return
    }
    perform()
  }

  private func meet(_ info: ParticipantInfo, in room: RoomName, session: String) {
    if info.kind == .agent { return dispatcher.appear(info.userId, in: room) }
    guard dispatcher.servesPeople, let person = Self.describe(info, in: room) else { return }
    dispatcher.meet(person, in: room, session: session, at: now, time)
  }

  /// Describes a participant that may get an agent; nil for one that the server itself added.
  private static func describe(_ info: ParticipantInfo, in room: RoomName) -> LiveKit.ParticipantInfo? {
    guard info.kind == nil || info.kind == .encoder || info.kind == .whip else { return nil }
    return LiveKit.ParticipantInfo(info, in: room)
  }

  /// Reads the dispatches of rooms that have been restored.
  private func restore() async {
    defer { restoring = nil }
    while !restored.isEmpty {
      let all: [AgentDispatch]
      do { all = try await Array(documents.all.values) } catch {
        log.error("the dispatches of agents can't be read", metadata: ["reason": "\(error)"])
        guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        continue
      }
      let rooms = restored
      restored = [:]
      let stored = all.filter { rooms[$0.room] == $0.session }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      dispatcher.restore(stored, at: now, time)
      for (room, session) in rooms { await catchUp(with: room, session: session) }
      perform()
    }
  }

  /// Handles who is in a room.
  private func catchUp(with name: RoomName, session: String) async {
    guard let room = await directory?.room(name), room.session == session else { return }
    let people = await room.read(\.participants)
    dispatcher.open(name, session: session, at: now, time)
    for info in people { meet(info, in: name, session: session) }
  }

  /// Removes the dispatches of rooms that are no longer stored.
  /// - Parameter isOpen: returns whether a room is open.
  func sweep(isOpen: @Sendable (RoomName) async -> Bool) async {
    try? await documents.sweep { await isOpen($0.room) }
  }

  // MARK: Dispatches

  /// Adds a dispatch to an open room. Returns it once it is stored.
  func add(_ dispatch: AgentDispatch, people: [ParticipantInfo]) async throws(TwirpError) -> AgentDispatch {
    let people = people.compactMap { Self.describe($0, in: dispatch.room) }
    guard dispatcher.add(dispatch, people: people, at: now, time) else {
      throw TwirpError(
        .resourceExhausted, "a room has at most \(dispatcher.limits.dispatchesPerRoom) dispatches of agents")
    }
    perform()
    do throws(TwirpError) { try await stored(dispatch.id) } catch {
      _ = dispatcher.delete(dispatch.id, in: dispatch.room, at: time)
      perform()
      throw error
    }
    return dispatcher.dispatches[dispatch.id] ?? dispatch
  }

  /// Removes a dispatch, and ends its jobs. Returns it once that is stored; nil if the room has none of this id.
  func delete(_ id: String, in room: RoomName) async throws(TwirpError) -> AgentDispatch? {
    try await settle()
    guard let dispatch = dispatcher.delete(id, in: room, at: time) else { return nil }
    perform()
    try await stored(id)
    return dispatch
  }

  /// The dispatches of a room, in the order of their creation.
  func dispatches(of room: RoomName) async throws(TwirpError) -> [AgentDispatch] {
    try await settle()
    return dispatcher.dispatches(of: room)
  }

  /// Returns once the changes of a dispatch, or of all, are stored.
  private func stored(_ id: String? = nil) async throws(TwirpError) {
    do { try await documents.settled(id) } catch { throw TwirpError(error) }
  }

  // MARK: Workers

  /// Registers a worker, and confirms it. Returns its id; nil if there are too many.
  func register(_ role: AgentWorker.Role, _ link: AgentLink) -> String? {
    guard !isStopping, let worker = dispatcher.register(role) else { return nil }
    isIdle.store(false, ordering: .relaxed)
    links[worker.id] = link
    link.send(
      .register(
        LiveKit.RegisterWorkerResponse {
          $0.workerID = worker.id
          $0.serverInfo = LiveKit.ServerInfo {
            ($0.version, $0.protocolNumber, $0.agentProtocol) = (LiveKit.ServerInfo.supportedVersion, 17, 1)
          }
        }))
    log.info("worker registered", metadata: ["worker": "\(worker.id)", "agent": "\(role.agent)", "kind": "\(role.kind)"])
    dispatcher.placeWaiting(role, at: now, time)
    perform()
    Task { await self.serve(role) }
    return worker.id
  }

  /// Gives a worker that has just registered the jobs of open rooms.
  private func serve(_ role: AgentWorker.Role) async {
    let open = directory?.summaries.withLock { Array($0.keys) } ?? []
    for name in open.sorted() where dispatcher.concerns(role, name) {
      guard let room = await directory?.room(name) else { continue }
      await catchUp(with: name, session: room.session)
      perform()
    }
  }

  /// Handles a message of a registered worker.
  func receive(_ message: LiveKit.WorkerMessage.Content, from worker: String) {
    guard !isStopping else { return }
    switch message {
    case .availability(let answer): dispatcher.answer(answer, from: worker, at: now, time)
    case .updateWorker(let update): dispatcher.update(worker, update, at: now, time)
    case .updateJob(let update): dispatcher.update(update, from: worker, at: now, time)
    case .migrateJob(let jobs): dispatcher.migrate(jobs.jobIDs + jobs.jobs.map(\.id), to: worker)
    // A connection answers pings itself. A worker registers once, and simulates jobs by itself.
    case .register, .ping, .simulateJob: return
    }
    perform()
  }

  /// Handles that workers have jobs of other nodes as well.
  func shareWorkers() { dispatcher.sharesWorkers = true }

  /// Removes a worker whose connection is lost.
  func lose(_ worker: String) {
    links[worker] = nil
    guard !isStopping else { return }
    dispatcher.lose(worker, at: now, time)
    log.info("worker lost", metadata: ["worker": "\(worker)"])
    perform()
  }

  // MARK: Performing

  /// Performs what the dispatcher says, without a pause in which it would say more.
  private func perform() {
    for output in dispatcher.takeOutputs() { perform(output) }
    isIdle.store(dispatcher.isIdle, ordering: .relaxed)
    setAlarm()
  }

  private func perform(_ output: AgentDispatcher.Output) {
    switch output {
    case .offer(let jobID, let id, let worker):
      guard let dispatch = owned(id), let job = dispatch.jobs.first(where: { $0.id == jobID }) else { return }
      let description = dispatch.describe(job, room: describe(dispatch))
      links[worker]?.send(
        .availability(
          LiveKit.AvailabilityRequest {
            $0.job = description
            $0.resuming = job.failures > 0
          }))
    case .assign(let jobID, let id, let answer, let worker):
      guard let link = links[worker], let dispatch = owned(id), let job = dispatch.jobs.first(where: { $0.id == jobID }),
        let token = try? keys.sign(link.token(answer, of: dispatch))
      else { return }
      let description = dispatch.describe(job, room: describe(dispatch))
      link.send(
        .assignment(
          LiveKit.JobAssignment {
            $0.job = description
            $0.token = token
          }))
      log.info(
        "agent assigned",
        metadata: ["room": "\(dispatch.room)", "job": "\(job.id)", "worker": "\(worker)", "user": "\(job.identity)"])
    case .terminate(let job, let worker):
      links[worker]?.send(.termination(LiveKit.JobTermination { $0.jobID = job }))
    case .remove(let identity, let name):
      guard let user = ForeignName(identity)?.user, let directory else { return }
      Task { _ = try? await directory.room(name)?.call(.kick(UserParams(userId: user))) }
    case .store(let id):
      if owned(id) != nil {
        documents.write(id) { [weak self] in await self?.dispatcher.dispatches[id].map { .value($0) } ?? .unchanged }
      }
    case .erase(let id): documents.write(id) { .removed }
    }
  }

  /// Returns a dispatch of a room that this server runs. Forgets those of a room that another one has taken over.
  private func owned(_ id: String) -> AgentDispatch? {
    guard let dispatch = dispatcher.dispatches[id] else { return nil }
    if let ownership = directory?.ownership, !ownership.owns(dispatch.room) {
      dispatcher.release(dispatch.room)
      return nil
    }
    return dispatch
  }

  private func describe(_ dispatch: AgentDispatch) -> LiveKit.Room {
    let summary = directory?.summaries.withLock { $0[dispatch.room] }
    return summary.map { LiveKit.Room($0, ForeignName(dispatch.roomName)) }
      ?? LiveKit.Room { $0.name = dispatch.roomName }
  }

  // MARK: Time

  private func setAlarm() {
    guard let next = dispatcher.next else {
      alarm?.task.cancel()
      return alarm = nil
    }
    guard alarm?.time != next else { return }
    alarm?.task.cancel()
    let wait = Duration.microseconds(max(0, next - now))
    alarm = (
      next,
      Task {
        guard (try? await Task.sleep(for: wait)) != nil else { return }
        self.advance()
      }
    )
  }

  private func advance() {
    alarm = nil
    guard !isStopping else { return }
    dispatcher.advance(to: now, at: time)
    perform()
  }

  // MARK: Metrics

  func addMetrics(to text: inout PrometheusText) {
    dispatcher.addMetrics(to: &text)
    text.add(
      "roomserver_agent_events_lost_total", .counter, "Events of rooms that came too fast for the dispatch of agents.",
      lost.load(ordering: .relaxed))
  }
}
