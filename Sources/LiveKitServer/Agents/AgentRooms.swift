import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import RoomServer
import RoomToken

// The dispatches of rooms, and who is in them.

extension AgentDispatcher {
  /// Adds a dispatch to a room.
  /// - Parameter people: who is in the room.
  /// - Returns: false if the room has too many.
  mutating func add(
    _ dispatch: AgentDispatch, people: [LiveKit.ParticipantInfo] = [], at now: Instant, _ time: Int64
  ) -> Bool {
    guard byRoom[dispatch.room, default: []].count < limits.dispatchesPerRoom else {
      counts.refused += 1
      return false
    }
    insert(dispatch)
    outputs.append(.store(dispatch.id))
    launch(.room, nil, in: dispatch.id, at: now, time)
    for person in people { meet(person, in: dispatch.id, at: now, time) }
    return true
  }

  private mutating func insert(_ dispatch: AgentDispatch) {
    dispatches[dispatch.id] = dispatch
    byRoom[dispatch.room, default: []].append(dispatch.id)
  }

  /// Takes stored dispatches of a room that has been restored. Their agents may return to it.
  mutating func restore(_ stored: [AgentDispatch], at now: Instant, _ time: Int64) {
    for dispatch in stored where dispatches[dispatch.id] == nil {
      insert(dispatch)
      for job in dispatch.jobs where !job.isOver {
        let role = AgentWorker.Role(agent: dispatch.agent, namespace: job.namespace, kind: job.kind)
        put(job.id, Live(dispatch: dispatch.id, role: role))
        if job.status == .running {
          orphan(job.id, until: now.advanced(microseconds: limits.restored))
        } else {
          place(job.id, at: now, time)
        }
      }
    }
  }

  /// Removes a dispatch and ends its jobs. Returns it as it was; nil if the room has none of this id.
  mutating func delete(_ id: String, in room: RoomName, at time: Int64) -> AgentDispatch? {
    guard dispatches[id]?.room == room else { return nil }
    endJobs(of: id, .deleted, at: time)
    return forget(id)
  }

  /// Ends the jobs of a room that has closed.
  /// - Parameter session: its incarnation.
  mutating func close(_ room: RoomName, session: String, at time: Int64) {
    for dispatch in dispatches(of: room) where dispatch.session == session {
      endJobs(of: dispatch.id, .roomClosed, at: time)
      _ = forget(dispatch.id)
    }
  }

  /// Forgets the dispatches of a room that another server runs from now on.
  mutating func release(_ room: RoomName) {
    for dispatch in dispatches(of: room) {
      for job in dispatch.jobs { detach(job.id) }
      dispatches[dispatch.id] = nil
    }
    byRoom[room] = nil
  }

  private mutating func forget(_ id: String) -> AgentDispatch? {
    guard let dispatch = dispatches.removeValue(forKey: id) else { return nil }
    byRoom[dispatch.room]?.removeAll { $0 == id }
    if byRoom[dispatch.room]?.isEmpty == true { byRoom[dispatch.room] = nil }
    outputs.append(.erase(id))
    return dispatch
  }

  private mutating func endJobs(of id: String, _ reason: AgentJob.Reason, at time: Int64) {
    for job in dispatches[id]?.jobs ?? [] where !job.isOver {
      let live = jobs[job.id]
      switch live?.phase {
      case .offered(let worker), .running(let worker), .leaving(let worker):
        outputs.append(.terminate(job: job.id, at: worker))
      case .orphaned:
        if reason == .deleted, live?.isPresent == true, let room = dispatches[id]?.room {
          outputs.append(.remove(identity: job.identity, from: room))
        }
      case .waiting, nil: break
      }
      end(job.id, .success, reason, at: time)
    }
  }

  /// Whether a worker of unnamed agents waits for a room.
  private func isServed(_ kind: AgentJob.Kind) -> Bool {
    workers.values.contains { $0.role.agent.isEmpty && $0.role.kind == kind }
  }

  /// Whether a worker that has registered has something to do in a room: the room has a dispatch for it, or gets one.
  func concerns(_ role: AgentWorker.Role, _ room: RoomName) -> Bool {
    let own = dispatches(of: room)
    if own.contains(where: { $0.agent == role.agent }) { return true }
    return role.agent.isEmpty && !own.contains(where: \.isFromBeginning)
  }

  /// Handles that a room is open: it gets the agents of every room, unless it began with its own.
  mutating func open(_ room: RoomName, session: String, at now: Instant, _ time: Int64) {
    for old in Set(dispatches(of: room).map(\.session)) where old != session { close(room, session: old, at: time) }
    provide(.room, in: room, session: session, at: time)
    for id in byRoom[room] ?? [] { launch(.room, nil, in: id, at: now, time) }
  }

  /// Handles a participant that has joined, that has published, or that was there before a worker.
  mutating func meet(
    _ person: LiveKit.ParticipantInfo, in room: RoomName, session: String, at now: Instant, _ time: Int64
  ) {
    provide(.participant, in: room, session: session, at: time)
    if person.isPublisher { provide(.publisher, in: room, session: session, at: time) }
    for id in byRoom[room] ?? [] { meet(person, in: id, at: now, time) }
  }

  private mutating func meet(_ person: LiveKit.ParticipantInfo, in id: String, at now: Instant, _ time: Int64) {
    guard person.kind != .agent, person.kind != .egress, person.permission?.hidden != true else { return }
    launch(.participant, person, in: id, at: now, time)
    if person.isPublisher { launch(.publisher, person, in: id, at: now, time) }
  }

  /// Makes the dispatch of the agents of every room, if a room has none and there are workers for it.
  private mutating func provide(_ kind: AgentJob.Kind, in room: RoomName, session: String, at time: Int64) {
    guard isServed(kind), !dispatches(of: room).contains(where: { $0.agent.isEmpty || $0.isFromBeginning }),
      let name = ForeignName(id: room.rawValue)
    else { return }
    insert(AgentDispatch(agent: "", room: room, roomName: name.text, session: session, createdAt: time))
  }

  /// Handles that an agent has joined its room.
  mutating func appear(_ user: UserID, in room: RoomName) {
    for job in runningJobs(of: user, in: room) {
      change(job) { live in
        live.isPresent = true
        switch live.phase {
        case .leaving(let worker): (live.phase, live.deadline) = (.running(worker), nil)
        case .orphaned: live.deadline = nil
        case .waiting, .offered, .running: break
        }
      }
    }
  }

  /// Handles that an agent, or another participant, has left.
  /// - Parameter isRemoved: whether an administrator removed it.
  mutating func leave(_ user: UserID, _ room: RoomName, isRemoved: Bool, at now: Instant, _ time: Int64) {
    for job in runningJobs(of: user, in: room) {
      change(job) { $0.isPresent = false }
      switch jobs[job]?.phase {
      case .running(let worker):
        let deadline = now.advanced(microseconds: limits.leaving)
        change(job) { ($0.phase, $0.deadline) = (.leaving(worker), deadline) }
      case .orphaned:
        if isRemoved { end(job, .success, at: time) } else { fail(job, "the worker is gone", at: now, time) }
      case .waiting, .offered, .leaving, nil: break
      }
    }
  }

  private func runningJobs(of user: UserID, in room: RoomName) -> [String] {
    dispatches(of: room).flatMap(\.jobs).filter { $0.status == .running && $0.user == user }.map(\.id)
  }
}
