import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import RoomServer
import RoomToken

/// Decides which worker does which job: the workers, the dispatches of rooms and their jobs as a value. It takes what workers say,
/// what happens in rooms, and the time; it says what to send to workers, and which dispatches to store.
///
/// - A dispatch has a job for each namespace of its workers. One without workers has its jobs as soon as one registers.
/// - A job whose worker is gone continues as long as its agent is in the room. Then another worker does it.
/// - A job ends with its room.
struct AgentDispatcher: Sendable {
  enum Output: Sendable, Equatable {
    /// Asks a worker whether it takes a job.
    case offer(job: String, of: String, to: String)
    /// Gives a job to a worker that takes it.
    case assign(job: String, of: String, LiveKit.AvailabilityResponse, to: String)
    case terminate(job: String, at: String)
    /// Removes an agent from its room, if no worker can end its job.
    case remove(identity: String, from: RoomName)
    /// The dispatch of this id was changed.
    case store(String)
    /// The dispatch of this id no longer exists.
    case erase(String)
  }

  struct Limits: Sendable {
    var workers = 1000
    /// Jobs that have not ended.
    var jobs = 20_000
    var dispatchesPerRoom = 64
    /// How often a failed job starts again.
    var restarts = 3
    /// How long a worker may think about an offer.
    var offer: Int64 = 10_000_000
    /// After which workers that did not answer are asked again.
    var silence: Int64 = 10_000_000
    /// How long the agent of a worker that is gone may take to appear in its room.
    var orphan: Int64 = 10_000_000
    /// The same after a restart of the server.
    var restored: Int64 = 30_000_000
    /// How long a worker may take to report the end of a job whose agent has left the room.
    var leaving: Int64 = 10_000_000
  }

  /// What was counted since the start.
  struct Counts: Sendable, Equatable {
    var accepted = 0
    var declined = 0
    /// Offers that were not answered.
    var unanswered = 0
    /// Jobs that started again.
    var restarts = 0
    var ended: [AgentJob.Status: Int] = [:]
    /// Workers, jobs and dispatches beyond a limit.
    var refused = 0
  }

  /// What a job that has not ended waits for.
  enum Phase: Sendable, Equatable {
    /// For a worker, or for the end of a pause.
    case waiting
    case offered(String)
    case running(String)
    /// The agent has left the room, and its worker has not said why.
    case leaving(String)
    /// For its agent to leave the room, or to appear in it.
    case orphaned
  }

  struct Live: Sendable {
    let dispatch: String
    let role: AgentWorker.Role
    var phase = Phase.waiting
    var deadline: Instant?
    /// Whether its agent is in the room.
    var isPresent = false
    /// Workers that do not take it, and those that did not answer.
    var declined: Set<String> = []
    var silent: Set<String> = []
  }

  let limits: Limits
  var counts = Counts()
  var workers: [String: AgentWorker] = [:]
  var dispatches: [String: AgentDispatch] = [:]
  /// The ids of the dispatches of a room, in the order of their creation.
  var byRoom: [RoomName: [String]] = [:]
  /// The jobs that have not ended, by id.
  var jobs: [String: Live] = [:]
  /// Those with a deadline, and those that wait for a worker.
  private var timed: Set<String> = []
  private var waiting: Set<String> = []
  var outputs: [Output] = []
  private var registrations = 0
  /// Whether workers also have jobs of other nodes, which are not known here.
  var sharesWorkers = false

  init(_ limits: Limits = Limits()) { self.limits = limits }

  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }

  /// When ``advance(to:at:)`` has something to do.
  var next: Instant? { timed.lazy.compactMap { jobs[$0]?.deadline }.min() }

  /// Whether there are workers for participants.
  var servesPeople: Bool { workers.values.contains { $0.role.kind != .room } }

  /// Whether rooms are of interest.
  var isIdle: Bool { workers.isEmpty && dispatches.isEmpty }

  /// The number of jobs that have not ended, by what they wait for.
  var jobCounts: [(String, Int)] {
    var numbers = (waiting: 0, offered: 0, running: 0, orphaned: 0)
    for job in jobs.values {
      switch job.phase {
      case .waiting: numbers.waiting += 1
      case .offered: numbers.offered += 1
      case .running, .leaving: numbers.running += 1
      case .orphaned: numbers.orphaned += 1
      }
    }
    return [
      ("waiting", numbers.waiting), ("offered", numbers.offered), ("running", numbers.running), ("orphaned", numbers.orphaned),
    ]
  }

  /// The dispatches of a room, in the order of their creation.
  func dispatches(of room: RoomName) -> [AgentDispatch] { (byRoom[room] ?? []).compactMap { dispatches[$0] } }

  // MARK: Workers

  /// Adds a worker. Returns it; nil if there are too many.
  mutating func register(_ role: AgentWorker.Role) -> AgentWorker? {
    guard workers.count < limits.workers else {
      counts.refused += 1
      return nil
    }
    registrations += 1
    let worker = AgentWorker(role, number: registrations)
    workers[worker.id] = worker
    return worker
  }

  /// Removes a worker whose connection is lost. Its jobs continue as long as their agents are in their rooms.
  mutating func lose(_ id: String, at now: Instant, _ time: Int64) {
    guard let worker = workers.removeValue(forKey: id) else { return }
    for job in worker.offered.sorted() {
      change(job) { $0.phase = .waiting }
      place(job, at: now, time)
    }
    for job in worker.running.sorted() { orphan(job, until: now.advanced(microseconds: limits.orphan)) }
  }

  mutating func orphan(_ id: String, until deadline: Instant) {
    change(id) {
      $0.phase = .orphaned
      $0.deadline = $0.isPresent ? nil : deadline
    }
  }

  mutating func update(_ id: String, _ update: LiveKit.UpdateWorkerStatus, at now: Instant, _ time: Int64) {
    guard var worker = workers[id] else { return }
    if let status = update.status { worker.isAvailable = status == .available }
    if update.draining { worker.isAvailable = false }
    worker.load = update.load.isFinite ? update.load : 1
    let wasBusy = workers[id].map { !$0.takesOffers } ?? false
    workers[id] = worker
    if wasBusy { placeWaiting(worker.role, at: now, time) }
  }

  /// Takes a worker's answer to an offer.
  mutating func answer(_ answer: LiveKit.AvailabilityResponse, from id: String, at now: Instant, _ time: Int64) {
    let job = answer.jobID
    guard var live = jobs[job], live.phase == .offered(id) else {
      // The offer was withdrawn meanwhile: another worker has the job. This one waits for an assignment in vain.
      return
    }
    workers[id]?.offered.remove(job)
    live.deadline = nil
    let takes = answer.available && Self.isValid(identity: answer.participantIdentity)
    if answer.terminate {
      put(job, live)
      end(job, .success, at: time)
    } else if takes {
      counts.accepted += 1
      live.phase = .running(id)
      put(job, live)
      workers[id]?.running.insert(job)
      let identity = answer.participantIdentity.isEmpty ? "agent-\(job)" : answer.participantIdentity
      record(job) {
        ($0.status, $0.identity, $0.worker, $0.reason, $0.error) = (.running, identity, id, nil, "")
        ($0.startedAt, $0.updatedAt) = (time, time)
      }
      var taken = answer
      taken.participantIdentity = identity
      outputs.append(.assign(job: job, of: live.dispatch, taken, to: id))
    } else {
      counts.declined += 1
      live.declined.insert(id)
      live.phase = .waiting
      put(job, live)
      place(job, at: now, time)
    }
    if let role = workers[id]?.role { placeWaiting(role, at: now, time) }
  }

  private static func isValid(identity: String) -> Bool {
    identity.isEmpty || ForeignName(identity) != nil && !identity.hasPrefix("@")
  }

  /// Takes what a worker says about a job: one that it runs, or has run on an earlier connection.
  mutating func update(_ update: LiveKit.UpdateJobStatus, from id: String, at now: Instant, _ time: Int64) {
    guard adopt(update.jobID, by: id) else { return }
    switch update.status {
    case .running: record(update.jobID) { $0.updatedAt = time }
    case .success: end(update.jobID, .success, at: time)
    case .cancelled: end(update.jobID, .cancelled, at: time)
    case .failed: fail(update.jobID, String(update.error.prefix(1024)), at: now, time)
    default: break
    }
    if let role = workers[id]?.role { placeWaiting(role, at: now, time) }
  }

  /// Takes the jobs that a worker has from an earlier connection. It ends those that another worker has by now.
  mutating func migrate(_ ids: [String], to worker: String) {
    let known = ids.prefix(1000).filter { !sharesWorkers || jobs[$0] != nil }
    for id in known where !adopt(id, by: worker) { outputs.append(.terminate(job: id, at: worker)) }
  }

  /// Returns whether a worker has a job. A job without a worker becomes its own.
  private mutating func adopt(_ id: String, by worker: String) -> Bool {
    guard let live = jobs[id], live.role == workers[worker]?.role else { return false }
    switch live.phase {
    case .running(let owner), .leaving(let owner): return owner == worker
    case .waiting, .offered: return false
    case .orphaned:
      change(id) {
        $0.phase = .running(worker)
        $0.deadline = nil
      }
      workers[worker]?.running.insert(id)
      record(id) { $0.worker = worker }
      return true
    }
  }

  // MARK: Jobs

  /// Makes a job for each namespace of workers, unless there was one.
  mutating func launch(
    _ kind: AgentJob.Kind, _ person: LiveKit.ParticipantInfo?, in id: String, at now: Instant, _ time: Int64
  ) {
    guard let dispatch = dispatches[id] else { return }
    let namespaces = Set(
      workers.values.lazy.map(\.role).filter { $0.agent == dispatch.agent && $0.kind == kind }.map(\.namespace))
    for namespace in namespaces.sorted() {
      let isThere = dispatch.jobs.contains {
        $0.kind == kind && $0.namespace == namespace && $0.participantSID == person?.sid
      }
      guard !isThere else { continue }
      guard jobs.count < limits.jobs else {
        counts.refused += 1
        return
      }
      let job = AgentJob(kind, namespace: namespace, participant: person, at: time)
      dispatches[id]?.jobs.append(job)
      put(
        job.id, Live(dispatch: id, role: AgentWorker.Role(agent: dispatch.agent, namespace: namespace, kind: kind)))
      place(job.id, at: now, time)
    }
  }

  /// Offers a waiting job to the best worker.
  mutating func place(_ id: String, at now: Instant, _ time: Int64) {
    guard var live = jobs[id], live.phase == .waiting else { return }
    let able = workers.values.filter { $0.role == live.role && !live.declined.contains($0.id) }
    let free = able.filter { $0.takesOffers && !live.silent.contains($0.id) }
    guard let best = free.min(by: { $0.isBetter(than: $1) }) else {
      // Those that did not answer are asked again.
      let isSilent = able.contains { live.silent.contains($0.id) }
      live.deadline = isSilent ? live.deadline ?? now.advanced(microseconds: limits.silence) : nil
      put(id, live)
      if job(id)?.reason != .noWorker { record(id, stores: false) { ($0.reason, $0.updatedAt) = (.noWorker, time) } }
      return
    }
    live.phase = .offered(best.id)
    live.deadline = now.advanced(microseconds: limits.offer)
    put(id, live)
    workers[best.id]?.offered.insert(id)
    outputs.append(.offer(job: id, of: live.dispatch, to: best.id))
  }

  /// Offers the waiting jobs of a role, the oldest first.
  mutating func placeWaiting(_ role: AgentWorker.Role, at now: Instant, _ time: Int64) {
    guard workers.values.contains(where: { $0.role == role && $0.takesOffers }) else { return }
    let own = waiting.filter { jobs[$0]?.role == role }.map { (job($0)?.updatedAt ?? 0, $0) }
    for (_, id) in own.sorted(by: <) { place(id, at: now, time) }
  }

  /// Ends a job that has failed, or starts it again after a pause.
  mutating func fail(_ id: String, _ error: String, at now: Instant, _ time: Int64) {
    guard let live = jobs[id], let dispatch = dispatches[live.dispatch], let old = job(id) else { return }
    guard dispatch.restarts, old.failures < limits.restarts else {
      record(id, stores: false) { $0.error = error }
      return end(id, .failed, at: time)
    }
    counts.restarts += 1
    leaveWorker(id)
    change(id) {
      ($0.phase, $0.isPresent, $0.declined, $0.silent) = (.waiting, false, [], [])
      $0.deadline = now.advanced(microseconds: 1_000_000 << Int64(min(old.failures, 8)))
    }
    record(id) {
      ($0.status, $0.reason, $0.error, $0.failures) = (.waiting, .retrying, error, old.failures + 1)
      ($0.identity, $0.worker, $0.updatedAt) = ("", "", time)
    }
  }

  mutating func end(_ id: String, _ status: AgentJob.Status, _ reason: AgentJob.Reason? = nil, at time: Int64) {
    guard let live = jobs[id] else { return }
    counts.ended[status, default: 0] += 1
    record(id) { ($0.status, $0.reason, $0.endedAt, $0.updatedAt) = (status, reason, time, time) }
    dispatches[live.dispatch]?.forgetOldJobs()
    detach(id)
  }

  mutating func detach(_ id: String) {
    leaveWorker(id)
    put(id, nil)
  }

  private mutating func leaveWorker(_ id: String) {
    switch jobs[id]?.phase {
    case .offered(let worker), .running(let worker), .leaving(let worker):
      workers[worker]?.offered.remove(id)
      workers[worker]?.running.remove(id)
    case .waiting, .orphaned, nil: break
    }
  }

  /// Replaces the state of a job; nil ends it.
  mutating func put(_ id: String, _ live: Live?) {
    jobs[id] = live
    if live?.deadline != nil { timed.insert(id) } else { timed.remove(id) }
    // One that pauses after a failure does not wait for a worker, one that waits for silent workers also for others.
    let waits = live.map { $0.phase == .waiting && ($0.deadline == nil || !$0.silent.isEmpty) } ?? false
    if waits { waiting.insert(id) } else { waiting.remove(id) }
  }

  mutating func change(_ id: String, _ change: (inout Live) -> Void) {
    guard var live = jobs[id] else { return }
    change(&live)
    put(id, live)
  }

  /// Returns a job that has not ended.
  func job(_ id: String) -> AgentJob? {
    jobs[id].flatMap { live in dispatches[live.dispatch]?.jobs.first { $0.id == id } }
  }

  /// Changes what is stored of a job.
  mutating func record(_ id: String, stores: Bool = true, _ change: (inout AgentJob) -> Void) {
    guard let key = jobs[id]?.dispatch, var dispatch = dispatches[key],
      let index = dispatch.jobs.firstIndex(where: { $0.id == id })
    else { return }
    change(&dispatch.jobs[index])
    dispatches[key] = dispatch
    if stores { outputs.append(.store(key)) }
  }

  // MARK: Time

  /// Handles what is due.
  mutating func advance(to now: Instant, at time: Int64) {
    let due = timed.filter { id in jobs[id]?.deadline.map { $0 <= now } ?? false }
    for id in due.sorted() {
      guard let live = jobs[id] else { continue }
      change(id) { $0.deadline = nil }
      switch live.phase {
      case .waiting:
        change(id) { $0.silent = [] }
        place(id, at: now, time)
      case .offered(let worker):
        counts.unanswered += 1
        workers[worker]?.offered.remove(id)
        change(id) {
          $0.phase = .waiting
          $0.silent.insert(worker)
        }
        place(id, at: now, time)
      case .leaving(let worker):
        outputs.append(.terminate(job: id, at: worker))
        record(id, stores: false) { $0.error = "the agent has left the room" }
        end(id, .failed, at: time)
      case .orphaned: fail(id, "the worker is gone", at: now, time)
      case .running: break
      }
    }
  }
}
