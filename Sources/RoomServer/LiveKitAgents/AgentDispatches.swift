import Foundation
import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
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

  /// The connection of a worker, and the API key of its token, which signs the tokens of its agents.
  struct Link: Sendable {
    var socket: any SignalChannel
    var key: String
    var permission: LiveKit.ParticipantPermission
  }

  private struct Announcement {
    var agents: [RoomAgent]
    var room: ForeignName
    var at: Instant
  }

  /// What waits to be handled. Events beyond it are lost, and counted.
  private static let capacity = 65_536
  /// Announcements of rooms that have not opened, and how long they are valid, in microseconds.
  private static let maximumAnnouncements = 1000
  private static let announcementTime: Int64 = 60_000_000
  private static let pause = Duration.milliseconds(500)
  /// How long the token of an agent is valid to join, in seconds.
  private static let tokenTime = 3600.0
  /// The attribute of agents that has the name of their worker.
  private static let nameAttribute = "lk.agent_name"

  private static let events: Set<WebhookEvent.Name> = [
    .roomCreated, .roomRestored, .roomClosed, .participantJoined, .participantLeft, .trackPublished,
  ]
  private static let eventsOfPeople: Set<WebhookEvent.Name> = [.participantJoined, .participantLeft, .trackPublished]

  private let store: any DocumentStore
  private let keys: TokenKeys
  private let log: Logger
  private let items: AsyncStream<Item>
  private nonisolated let input: AsyncStream<Item>.Continuation
  /// Whether there are neither workers nor dispatches: then nobody's coming and going is of interest.
  private nonisolated let isIdle = Atomic(true)
  private nonisolated let lost = Atomic(0)
  private var dispatcher = AgentDispatcher()
  private var links: [String: Link] = [:]
  private var directory: RoomDirectory?
  private var announcements: [RoomName: Announcement] = [:]
  /// Rooms whose stored dispatches are still to be read, with their incarnations.
  private var restored: [RoomName: String] = [:]
  private var restoring: Task<Void, Never>?
  /// Dispatches that no longer exist, until the store has removed them.
  private var erased: Set<String> = []
  private var writes: [String: Task<(any Error)?, Never>] = [:]
  private var lastWrite: Task<(any Error)?, Never>?
  private var isStoreFailing = false
  private var isStopping = false
  private var alarm: (time: Instant, task: Task<Void, Never>)?

  init(_ store: any DocumentStore, keys: TokenKeys, log: Logger) {
    self.store = store
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
      case .withdraw(let room): announcements[room] = nil
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
    announcements = announcements.filter { now - $0.value.at < Self.announcementTime }
    guard announcements.count < Self.maximumAnnouncements else { return dispatcher.counts.refused += 1 }
    announcements[room.room] = Announcement(agents: agents, room: room, at: now)
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
    for write in writes.values { if let error = await write.value { throw Self.unavailable(error) } }
  }

  /// Ignores what follows, because the rooms end only for this server. Returns once all changes are stored.
  func stop() async {
    isStopping = true
    alarm?.task.cancel()
    _ = await lastWrite?.value
    // It also has this as a receiver of events.
    directory = nil
  }

  private func handle(_ event: WebhookEvent) async {
    guard !isStopping else { return }
    let (room, session) = (event.room, event.session)
    switch (event.name, event.data) {
    case (.roomCreated, _):
      begin(room, session: session)
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
      if let info = await directory?.room(room)?.participant(published.userId) { meet(info, in: room, session: session) }
    default: return
    }
    perform()
  }

  /// Gives a new room the agents that were announced for it.
  private func begin(_ room: RoomName, session: String) {
    guard let announcement = announcements.removeValue(forKey: room) else { return }
    for agent in announcement.agents.prefix(dispatcher.limits.dispatchesPerRoom) {
      var dispatch = AgentDispatch(
        agent: agent.name, room: room, roomName: announcement.room.text, session: session, createdAt: time)
      (dispatch.metadata, dispatch.attributes, dispatch.restarts) = (agent.metadata, agent.attributes, agent.restarts)
      dispatch.isFromBeginning = true
      _ = dispatcher.add(dispatch, at: now, time)
    }
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
      let documents: [String: Data]
      do { documents = try await store.documents(.dispatch) } catch {
        log.error("the dispatches of agents can't be read", metadata: ["reason": "\(error)"])
        guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        continue
      }
      let rooms = restored
      restored = [:]
      let stored = documents.values.compactMap { try? JSONDecoder().decode(AgentDispatch.self, from: $0) }
        .filter { rooms[$0.room] == $0.session }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      dispatcher.restore(stored, at: now, time)
      for (room, session) in rooms { await catchUp(with: room, session: session) }
      perform()
    }
  }

  /// Handles who is in a room.
  private func catchUp(with name: RoomName, session: String) async {
    guard let room = await directory?.room(name), room.session == session else { return }
    let people = await room.roster
    dispatcher.open(name, session: session, at: now, time)
    for info in people { meet(info, in: name, session: session) }
  }

  /// Removes the dispatches of rooms that are no longer stored.
  /// - Parameter isOpen: returns whether a room is open.
  func sweep(isOpen: @Sendable (RoomName) async -> Bool) async {
    for (id, document) in (try? await store.documents(.dispatch)) ?? [:] {
      if let dispatch = try? JSONDecoder().decode(AgentDispatch.self, from: document), await isOpen(dispatch.room) { continue }
      try? await store.set(nil, .dispatch, id)
    }
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
    if let error = await write(dispatch.id).value {
      _ = dispatcher.delete(dispatch.id, in: dispatch.room, at: time)
      perform()
      throw Self.unavailable(error)
    }
    return dispatcher.dispatches[dispatch.id] ?? dispatch
  }

  /// Removes a dispatch, and ends its jobs. Returns it once that is stored; nil if the room has none of this id.
  func delete(_ id: String, in room: RoomName) async throws(TwirpError) -> AgentDispatch? {
    try await settle()
    guard let dispatch = dispatcher.delete(id, in: room, at: time) else { return nil }
    perform()
    if let error = await write(id).value { throw Self.unavailable(error) }
    return dispatch
  }

  /// The dispatches of a room, in the order of their creation.
  func dispatches(of room: RoomName) async throws(TwirpError) -> [AgentDispatch] {
    try await settle()
    return dispatcher.dispatches(of: room)
  }

  private static func unavailable(_ error: any Error) -> TwirpError {
    TwirpError(.unavailable, "the store of the server does not answer: \(error)")
  }

  // MARK: Workers

  /// Registers a worker, and confirms it. Returns its id; nil if there are too many.
  func register(_ role: AgentWorker.Role, _ link: Link) -> String? {
    guard !isStopping, let worker = dispatcher.register(role) else { return nil }
    isIdle.store(false, ordering: .relaxed)
    links[worker.id] = link
    send(
      .register(
        LiveKit.RegisterWorkerResponse {
          $0.workerID = worker.id
          $0.serverInfo = LiveKit.ServerInfo {
            ($0.version, $0.protocolNumber, $0.agentProtocol) = (LiveKit.ServerInfo.supportedVersion, 17, 1)
          }
        }), to: worker.id)
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

  /// Removes a worker whose connection is lost.
  func lose(_ worker: String) {
    links[worker] = nil
    guard !isStopping else { return }
    dispatcher.lose(worker, at: now, time)
    log.info("worker lost", metadata: ["worker": "\(worker)"])
    perform()
  }

  private func send(_ message: LiveKit.ServerMessage.Content, to worker: String) {
    links[worker]?.socket.send(
      SignalFrame.message(LiveKit.ServerMessage { $0.message = message }.protobuf, isBinary: true))
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
      send(
        .availability(
          LiveKit.AvailabilityRequest {
            $0.job = description
            $0.resuming = job.failures > 0
          }), to: worker)
    case .assign(let jobID, let id, let answer, let worker):
      guard let link = links[worker], let dispatch = owned(id), let job = dispatch.jobs.first(where: { $0.id == jobID }),
        let token = token(answer, dispatch, link)
      else { return }
      let description = dispatch.describe(job, room: describe(dispatch))
      send(
        .assignment(
          LiveKit.JobAssignment {
            $0.job = description
            $0.token = token
          }), to: worker)
      log.info(
        "agent assigned",
        metadata: ["room": "\(dispatch.room)", "job": "\(job.id)", "worker": "\(worker)", "user": "\(job.identity)"])
    case .terminate(let job, let worker): send(.termination(LiveKit.JobTermination { $0.jobID = job }), to: worker)
    case .remove(let identity, let name):
      guard let user = ForeignName(identity)?.user, let directory else { return }
      Task { _ = try? await directory.room(name)?.call(.kick(UserParams(userId: user))) }
    case .store(let id): if owned(id) != nil { _ = write(id) }
    case .erase(let id):
      erased.insert(id)
      _ = write(id)
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

  /// Makes the token with which an agent joins.
  private func token(_ answer: LiveKit.AvailabilityResponse, _ dispatch: AgentDispatch, _ link: Link) -> String? {
    var token = LiveKitToken(
      key: link.key, identity: ForeignName(answer.participantIdentity), expires: Date(timeIntervalSinceNow: Self.tokenTime))
    (token.kind, token.name, token.metadata) = (LiveKitToken.agentKind, answer.participantName, answer.participantMetadata)
    token.attributes = answer.participantAttributes
    token.attributes[Self.nameAttribute] = dispatch.agent
    token.grants.room = ForeignName(dispatch.roomName)
    (token.grants.roomJoin, token.grants.agent) = (true, true)
    let permission = link.permission
    token.grants.canPublish = permission.canPublish
    token.grants.canSubscribe = permission.canSubscribe
    token.grants.canPublishData = permission.canPublishData
    token.grants.canUpdateOwnMetadata = permission.canUpdateMetadata
    token.grants.hidden = permission.hidden
    token.grants.canPublishSources = permission.canPublishSources.compactMap { VideoGrants.Source($0) }
    return try? keys.sign(token)
  }

  // MARK: Storing

  /// Writes a dispatch as it is when its turn has come, or removes it. The task's result is the error.
  private func write(_ id: String) -> Task<(any Error)?, Never> {
    if let write = writes[id] { return write }
    let before = lastWrite
    let task = Task { () -> (any Error)? in
      _ = await before?.value
      return await self.writeNow(id)
    }
    (writes[id], lastWrite) = (task, task)
    return task
  }

  private func writeNow(_ id: String) async -> (any Error)? {
    writes[id] = nil
    // One that was released is another server's.
    guard erased.contains(id) || dispatcher.dispatches[id] != nil else { return nil }
    do {
      try await store.set(dispatcher.dispatches[id].map { try JSONEncoder().encode($0) }, .dispatch, id)
      if dispatcher.dispatches[id] == nil { erased.remove(id) }
      isStoreFailing = false
      return nil
    } catch {
      if !isStoreFailing { log.error("dispatches of agents can't be stored", metadata: ["reason": "\(error)"]) }
      isStoreFailing = true
      // It stays as it is in the store until the next change, or until the store answers again.
      Task {
        try? await Task.sleep(for: Self.pause)
        _ = self.write(id)
      }
      return error
    }
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
    let counts = dispatcher.counts
    text.add("roomserver_agent_workers", .gauge, "Workers of agents that are connected.", dispatcher.workers.count)
    text.add(
      "roomserver_agent_jobs", .gauge, "Jobs of agents that have not ended, by state.", label: "state", dispatcher.jobCounts)
    text.add(
      "roomserver_agent_jobs_ended_total", .counter, "Jobs of agents that have ended, by outcome.", label: "outcome",
      [AgentJob.Status.success, .failed, .cancelled].map { ($0.rawValue, counts.ended[$0] ?? 0) })
    text.add("roomserver_agent_restarts_total", .counter, "Jobs of agents that started again.", counts.restarts)
    text.add(
      "roomserver_agent_offers_total", .counter, "Offers of jobs to workers, by answer.", label: "answer",
      [("accepted", counts.accepted), ("declined", counts.declined), ("none", counts.unanswered)])
    text.add(
      "roomserver_agent_refused_total", .counter, "Workers, jobs and dispatches of agents beyond a limit.", counts.refused)
    text.add(
      "roomserver_agent_events_lost_total", .counter, "Events of rooms that came too fast for the dispatch of agents.",
      lost.load(ordering: .relaxed))
  }
}
