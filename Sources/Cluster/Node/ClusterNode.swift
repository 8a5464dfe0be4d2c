import Logging
import RoomLinux
import RoomProtocol
import RoomRTP
import RoomRedis
import Synchronization

/// Why the cluster can't say, or change, who owns a room.
public enum ClusterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store does not answer.
  case storeAway(RedisError)
  /// This node has no lease, or waits after a change of the store.
  case notReady
  /// The owner has died, and the room has none yet.
  case ownerless

  public var description: String {
    switch self {
    case .storeAway(let error): "the cluster's store does not answer: \(error)"
    case .notReady: "this node is no member of the cluster yet"
    case .ownerless: "the room's node has died; another one takes over within seconds"
    }
  }
}

/// A node of a cluster: carries out the commands of ``NodeLease`` and ``Takeovers``, and answers who owns a room.
public final class ClusterNode: Sendable {
  /// Who owns a room.
  public enum Owner: Sendable, Hashable {
    case here(fence: Int64)
    case there(ClusterMember)
  }

  /// What the server does for its node.
  public struct Callbacks: Sendable {
    /// Returns what the node reports now.
    public var report: @Sendable () -> NodeReport
    /// Asks another node for a promise; false if it refuses or does not answer.
    public var ask: @Sendable (ClusterMember, PromiseRequest) async -> Bool
    /// Returns whether another node answers, as of a moment ago.
    public var isReachable: @Sendable (ClusterMember) async -> Bool
    /// Restores a room that a dead node owned.
    public var adopt: @Sendable (RoomLease) async -> Void
    /// Stops rooms that the node does not own any more.
    public var stop: @Sendable ([RoomLease]) async -> Void
    /// Notes kicked users' tokens of other nodes.
    public var kicked: @Sendable ([[UInt8]]) -> Void

    public init(
      report: @escaping @Sendable () -> NodeReport, ask: @escaping @Sendable (ClusterMember, PromiseRequest) async -> Bool,
      isReachable: @escaping @Sendable (ClusterMember) async -> Bool = { _ in true },
      adopt: @escaping @Sendable (RoomLease) async -> Void, stop: @escaping @Sendable ([RoomLease]) async -> Void,
      kicked: @escaping @Sendable ([[UInt8]]) -> Void = { _ in }
    ) {
      (self.report, self.ask, self.adopt, self.stop, self.kicked) = (report, ask, adopt, stop, kicked)
      self.isReachable = isReachable
    }
  }

  private struct State {
    var lease: NodeLease
    var takeovers: Takeovers
    var session: RedisSession?
    var lastKick: Int64 = 0
    var counters = NodeCounters()
    /// Owners of rooms at other nodes, for the time without a store.
    var known: [RoomName: Incarnation] = [:]
    /// Rooms that are about to move.
    var moving: Set<RoomName> = []
    var isStopped = false

    /// Nil without a lease.
    var tenure: Tenure? {
      guard let incarnation = lease.incarnation, let end = lease.authorityEnd else { return nil }
      return Tenure(incarnation: incarnation, end: end)
    }
  }

  /// A lease: the time until which an incarnation may keep its rooms without another renewal or promise.
  public struct Tenure: Sendable, Hashable {
    public let incarnation: Incarnation
    public let end: Instant
  }

  public let id: NodeID
  /// Each change of the node's lease, for one reader.
  public let tenures: AsyncStream<Tenure>
  private let tenureChanges: AsyncStream<Tenure>.Continuation
  private let store: ClusterStore
  private let process: UInt64
  private let callbacks: Callbacks
  private let log: Logger
  private let state: Mutex<State>
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// Maximum number of known owners of rooms at other nodes.
  private static let knownLimit = 65_536
  private static let tick = Duration.milliseconds(50)

  /// - Parameter process: a random number of this process.
  public init(
    _ id: NodeID, process: UInt64, store: ClusterStore, timing: LeaseTiming = .init(), _ callbacks: Callbacks, log: Logger
  ) {
    self.id = id
    self.process = process
    self.store = store
    self.callbacks = callbacks
    var log = log
    log[metadataKey: "node"] = "\(id)"
    self.log = log
    (tenures, tenureChanges) = AsyncStream.makeStream(of: Tenure.self, bufferingPolicy: .bufferingNewest(1))
    state = Mutex(
      State(lease: NodeLease(timing, now: .now), takeovers: Takeovers(turn: timing.turn)))
  }

  // MARK: Questions

  public var counters: NodeCounters { state.withLock { $0.counters } }
  public var incarnation: Incarnation? { state.withLock { $0.lease.incarnation } }
  public var membership: Membership { state.withLock { $0.lease.membership } }
  public var owned: [RoomLease] { state.withLock { $0.lease.owned } }
  public var orphans: Int { state.withLock { $0.takeovers.count } }
  /// Whether the node rests on promises, because the store does not answer.
  public var restsOnPromises: Bool { state.withLock { $0.lease.restsOnPromises(now: .now) } }
  /// Whether the node may become the owner of rooms.
  public var isReady: Bool { state.withLock { $0.lease.mayClaim(from: nil, now: .now) } }
  /// How long the node may keep its rooms without another renewal or promise; µs; nil without a lease.
  public var authority: Int64? { state.withLock { $0.lease.authorityEnd.map { $0 - .now } } }

  /// The incarnation and the fence of a room that this node owns now; nil for another room.
  public func title(of room: RoomName) -> (Incarnation, fence: Int64)? {
    state.withLock { state in
      guard let own = state.lease.incarnation, let fence = state.lease.fence(of: room, now: .now) else { return nil }
      return (own, fence)
    }
  }

  /// The right to write a room: as ``title(of:)``.
  /// - Throws: ``ClusterError/notReady`` while the store has changed, and the node has not asserted its rooms there.
  public func titleToWrite(_ room: RoomName) throws(ClusterError) -> (Incarnation, fence: Int64)? {
    guard state.withLock({ $0.lease.hasAsserted || $0.lease.incarnation == nil }) else { throw .notReady }
    return title(of: room)
  }

  /// Another node asks for a promise.
  public func asked(_ request: PromiseRequest) -> Bool { input { $0.lease.asked(request, now: .now) } }

  /// Maximum time that a question waits while the owner of the room may be dead, or its room is about to move.
  private static let takeoverTime = Duration.seconds(5)

  /// What the store says of a room's owner.
  private enum Record {
    case owner(Owner)
    /// The room's owner has ended, and no other has claimed it yet.
    case orphan
    /// This node has just claimed the room, or is about to give it up.
    case claimed
    case nothing
  }

  /// Returns the owner of a room; nil if it has none. Waits while a dead node's room moves.
  /// - Parameter isRestored: whether to wait for the next owner of a room whose owner has ended, also if this node becomes the next one;
  ///   otherwise it has none.
  /// - Throws: `.ownerless` if nobody has claimed such a room after 5 s.
  public func owner(of room: RoomName, isRestored: Bool = false) async throws(ClusterError) -> Owner? {
    let deadline = ContinuousClock.now + Self.takeoverTime
    while true {
      while ContinuousClock.now < deadline, state.withLock({ $0.moving.contains(room) }) {
        try? await Task.sleep(for: .milliseconds(10))
      }
      switch try await record(of: room) {
      case .nothing: return nil
      case .claimed:
        guard isRestored, ContinuousClock.now < deadline else { return nil }
      case .orphan:
        guard isRestored else { return nil }
        guard ContinuousClock.now < deadline else { throw .ownerless }
      case .owner(let owner):
        guard case .there(let member) = owner, ContinuousClock.now < deadline else { return owner }
        let isSilent = state.withLock { $0.lease.isSilent(member.incarnation, now: .now) }
        if !isSilent, await callbacks.isReachable(member) { return owner }
      }
      guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { throw .ownerless }
    }
  }

  private func record(of room: RoomName) async throws(ClusterError) -> Record {
    if let title = title(of: room) { return .owner(.here(fence: title.fence)) }
    let owner: Incarnation?
    do throws(RedisError) { owner = try await store.owner(of: room) } catch {
      // Without the store, the owners that were known last keep their rooms.
      let known = state.withLock { state in state.known[room].flatMap { state.lease.membership.members[$0] } }
      guard let known else { throw .storeAway(error) }
      return .owner(.there(known))
    }
    return try interpret(owner, of: room)
  }

  private func interpret(_ owner: Incarnation?, of room: RoomName) throws(ClusterError) -> Record {
    let result: Result<Record, ClusterError> = state.withLock { state in
      guard let owner else { return .success(.nothing) }
      guard let member = state.lease.membership.members[owner] else {
        // Either it has ended, or it entered after the last list of members.
        return state.lease.membership.hasEnded(owner) ? .success(.orphan) : .failure(.ownerless)
      }
      if owner == state.lease.incarnation { return .success(.claimed) }
      if state.known.count >= Self.knownLimit { state.known.removeAll() }
      state.known[room] = owner
      return .success(.owner(.there(member)))
    }
    return try result.get()
  }

  /// Returns the owner of a room, and makes this node the owner if it has none.
  public func acquire(_ room: RoomName) async throws(ClusterError) -> Owner {
    // Another node may be faster, and die: a few attempts.
    for _ in 0..<3 {
      if let owner = try await owner(of: room) { return owner }
      let expected: Incarnation?
      do throws(RedisError) { expected = try await store.owner(of: room) } catch { throw .storeAway(error) }
      if case .owner(let other) = try interpret(expected, of: room) { return other }
      if let claimed = try await claim(room, from: expected) { return claimed }
    }
    throw .ownerless
  }

  /// Claims a room. Returns nil if its owner was another than expected.
  private func claim(_ room: RoomName, from expected: Incarnation?) async throws(ClusterError) -> Owner? {
    let (own, session) = state.withLock { state in
      (state.lease.mayClaim(from: expected, now: .now) ? state.lease.incarnation : nil, state.session)
    }
    guard let own, let session else { throw .notReady }
    let answer: ClusterStore.Claim
    do throws(RedisError) { answer = try await store.claim(room, from: expected, by: own, in: session) } catch {
      throw .storeAway(error)
    }
    guard case .own(let lease) = answer else { return nil }
    guard input({ $0.lease.claimed(lease, by: own, now: .now) }) else { throw .notReady }
    return .here(fence: lease.fence)
  }

  /// Gives up a room that has closed.
  public func release(_ room: RoomName) async {
    guard let title = title(of: room) else { return }
    input { $0.lease.released(room) }
    try? await store.release(RoomLease(room: room, fence: title.fence), by: title.0)
  }

  // MARK: Moving

  /// Rooms are about to move: questions for their owner wait until ``endMove(of:)``.
  public func beginMove(of rooms: [RoomName]) { state.withLock { $0.moving.formUnion(rooms) } }
  /// - Parameter moved: how many of them have another owner.
  public func endMove(of rooms: [RoomName], moved: Int) {
    state.withLock { state in
      state.moving.subtract(rooms)
      state.counters.given += UInt64(max(0, moved))
    }
  }

  /// Whether a room moves away from this node, or has moved.
  public func isGiving(_ room: RoomName) -> Bool {
    state.withLock { $0.moving.contains(room) || $0.lease.fence(of: room, now: .now) == nil }
  }

  /// Gives up a room, so that another member may claim it. This node does not own it any more. Stop and store it before.
  /// - Returns: nil for a room that this node does not own.
  public func give(_ room: RoomName) -> Handover? {
    guard let title = title(of: room) else { return nil }
    input { $0.lease.released(room) }
    return Handover(room: room, owner: title.0, fence: title.fence)
  }

  /// Claims a room that another node gives, or takes back one that this node gave.
  /// - Returns: the owner; nil if it is not known.
  public func receive(_ handover: Handover) async throws(ClusterError) -> Owner? {
    let (own, session) = state.withLock { state in
      (state.lease.mayClaim(from: nil, now: .now) ? state.lease.incarnation : nil, state.session)
    }
    guard let own, let session else { throw .notReady }
    let answer: ClusterStore.Claim
    do throws(RedisError) { answer = try await store.receive(handover, by: own, in: session) } catch { throw .storeAway(error) }
    switch answer {
    case .own(let lease):
      guard input({ $0.lease.claimed(lease, by: own, now: .now) }) else { throw .notReady }
      if handover.owner != own { state.withLock { $0.counters.received += 1 } }
      return .here(fence: lease.fence)
    case .other(let owner):
      guard case .owner(let other) = try interpret(owner, of: handover.room) else { return nil }
      return other
    }
  }

  /// The store has refused a write of a room: another node owns it.
  public func lost(_ room: RoomName) async {
    let lease = state.withLock { state in
      state.lease.fence(of: room, now: .now).map { RoomLease(room: room, fence: $0) }
    }
    input { $0.lease.released(room) }
    if let lease {
      log.error("another node owns a room of this one, which stops it", metadata: ["room": "\(room)"])
      await callbacks.stop([lease])
    }
  }

  // MARK: Running

  /// Enters the cluster and stays a member until ``stop()``.
  public func start() {
    let ticks = Task { [weak self] in
      while !Task.isCancelled {
        self?.input { $0.lease.advance(to: .now) }
        try? await Task.sleep(for: Self.tick)
      }
    }
    let sessions = Task { [weak self, store] in
      for await session in store.redis.sessions { self?.connected(session) }
    }
    tasks.withLock { $0 = [ticks, sessions] }
  }

  /// Leaves the cluster: other nodes claim the rooms that it still owns. Stop the rooms before.
  public func stop() async {
    let running = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in running { task.cancel() }
    let (own, session) = state.withLock { state in
      let last = (state.lease.incarnation, state.session)
      state.isStopped = true
      state.lease.leave()
      _ = state.lease.takeCommands()
      return last
    }
    if let own, let session { try? await store.leave(own, in: session) }
  }

  private func connected(_ session: RedisSession?) {
    input { state in
      state.session = session
      if let session {
        state.lease.connected(to: session.process, now: .now)
      } else {
        state.lease.disconnected(now: .now)
      }
    }
  }

  /// Passes an input, and carries out what follows from it.
  @discardableResult private func input<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, commands, claims, session) = state.withLock { state in
      let last = state.tenure
      let result = body(&state)
      if let tenure = state.tenure, tenure != last { tenureChanges.yield(tenure) }
      guard !state.isStopped else { return (result, [NodeLease.Command](), [Takeovers.Claim](), state.session) }
      let claims = state.takeovers.takeClaims(state.lease, now: .now)
      return (result, state.lease.takeCommands(), claims, state.session)
    }
    for command in commands { Task { await carryOut(command, in: session) } }
    for claim in claims { Task { await takeOver(claim) } }
    return result
  }

  private func carryOut(_ command: NodeLease.Command, in session: RedisSession?) async {
    switch command {
    case .stop(let rooms):
      state.withLock { $0.counters.stopped += UInt64(rooms.count) }
      log.error("the node has lost its lease, and stops its rooms", metadata: ["rooms": "\(rooms.count)"])
      await callbacks.stop(rooms)
    case .ask(let request, let sent):
      guard let member = state.withLock({ $0.lease.membership.members[request.asked] }) else { return }
      if await callbacks.ask(member, request) { input { $0.lease.promised(request, asked: sent, now: .now) } }
    case .leave: break
    case .join, .renew, .assert, .end:
      guard let session else { return input { $0.lease.failed(now: .now) } }
      do throws(RedisError) { try await exchange(command, in: session) } catch {
        if case .end = command { return }
        if case .renew = command { state.withLock { $0.counters.failedRenewals += 1 } }
        log.debug("the store does not answer", metadata: ["reason": "\(error)"])
        input { $0.lease.failed(now: .now) }
      }
    }
  }

  private func exchange(_ command: NodeLease.Command, in session: RedisSession) async throws(RedisError) {
    switch command {
    case .join(let previous, let leaving):
      let entry = try await store.join(
        id, process: process, previous: previous, leaving: leaving, report: callbacks.report(), in: session)
      log.info("member of the cluster", metadata: ["incarnation": "\(entry.incarnation)"])
      input { $0.lease.joined(entry, now: .now) }
    case .renew(let own, let beat, let seen, let reading):
      let lastKick = state.withLock { $0.lastKick }
      let renewal = try await store.renew(
        own, beat: beat, seen: seen, report: callbacks.report(), reading, lastKick: lastKick, in: session)
      if !renewal.kicks.isEmpty { callbacks.kicked(renewal.kicks) }
      input { state in
        state.lastKick = max(state.lastKick, renewal.lastKick)
        state.counters.renewals += 1
        state.lease.renewed(renewal.members, now: .now)
        state.takeovers.note(renewal.orphans, now: .now)
      }
    case .assert(let leases, let own):
      let refused = try await store.assert(leases, own, in: session)
      input { $0.lease.asserted(refused: refused, now: .now) }
    case .end(let member, let beat, let own):
      guard let end = try await store.end(member, beat: beat, by: own, in: session) else { return }
      if end.hasEnded {
        log.warning("a member does not renew its lease, and was removed", metadata: ["member": "\(member)"])
      }
      input { state in
        if end.hasEnded {
          state.counters.ended += 1
          state.lease.ended(member, epoch: end.epoch, now: .now)
        }
        state.takeovers.note(end.orphans, now: .now)
      }
    case .leave, .ask, .stop: break
    }
  }

  private func takeOver(_ claim: Takeovers.Claim) async {
    var isDecided = true
    do throws(ClusterError) {
      if case .here(let fence) = try await self.claim(claim.room, from: claim.owner) {
        state.withLock { $0.counters.takeovers += 1 }
        await callbacks.adopt(RoomLease(room: claim.room, fence: fence))
      }
    } catch {
      isDecided = false
      log.debug("a claim was not decided", metadata: ["room": "\(claim.room)", "reason": "\(error)"])
    }
    input { $0.takeovers.answered(claim, isDecided: isDecided, now: .now) }
  }
}
