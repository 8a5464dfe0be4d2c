import RoomProtocol
import RoomRTP

/// A room that this node owns, with its fence: a number that grows with each change of the owner.
public struct RoomLease: Sendable, Hashable {
  public var room: RoomName
  public var fence: Int64

  public init(room: RoomName, fence: Int64) {
    self.room = room
    self.fence = fence
  }
}

/// A node's lease in the store, and the rooms that rest on it. Sans-I/O: inputs and time in, commands out.
///
/// The rules:
/// - One renewal serves all rooms. The node counts its lease from before it SENT the renewal, and ends its use a margin early.
///   Others count a life from when they have seen the last beat. No clock of the store is involved.
/// - Whoever notices a dead member ends it in the store, by compare-and-set of its beat. The member's incarnation is never a
///   member again, so each of its rooms may be claimed, by compare-and-set of the owner.
/// - A node without the store keeps its rooms while ALL members that it knows promise not to end its lease, for at most 30 s. A
///   member that it does not know yet sees that in its record (`seen`), and waits 35 s.
/// - A node that lost its authority, even for a moment, stops its rooms and enters as a new incarnation.
/// - After a restart or failover of the store, which may have lost writes, the node first asserts its rooms with their fences,
///   and then renews. Nobody claims a room meanwhile.
public struct NodeLease: Sendable {
  /// A request to the store or another node. At most one of `join`, `renew` and `assert` is under way.
  public enum Command: Sendable, Hashable {
    /// Enter the members, or stay one. Answer by ``joined(_:now:)`` or ``failed(now:)``.
    /// - Parameter leaving: the node's own earlier incarnations, which are to be removed.
    case join(previous: Incarnation?, leaving: [Incarnation])
    /// Write the record of a member, and read others. Answer by ``renewed(_:now:)`` or ``failed(now:)``.
    case renew(Incarnation, beat: Int64, seen: Int64, MemberReading)
    /// Write the owner of rooms unless another has a higher fence. Answer by ``asserted(refused:now:)`` or ``failed(now:)``.
    case assert([RoomLease], Incarnation)
    /// Remove a member if its beat is the same. Answer by ``ended(_:epoch:now:)`` if it is no member any more.
    case end(Incarnation, beat: Int64, by: Incarnation)
    /// Remove the node's own incarnation: the node ends.
    case leave(Incarnation)
    /// Ask a member for a promise. Answer by ``promised(_:asked:now:)``, if at all.
    case ask(PromiseRequest, sent: Instant)
    /// Stop these rooms: the node does not own them any more.
    case stop([RoomLease])
  }

  /// The answer to ``Command/join(previous:leaving:)``.
  public struct Entry: Sendable, Hashable {
    public var incarnation: Incarnation
    public var membership: Membership
    /// The time since the store's process changed, or its data began; µs.
    public var age: Int64
    /// Whether the data began then: the store was empty.
    public var isNewStore: Bool

    public init(incarnation: Incarnation, membership: Membership, age: Int64, isNewStore: Bool) {
      self.incarnation = incarnation
      self.membership = membership
      self.age = age
      self.isNewStore = isNewStore
    }
  }

  private enum Phase: Hashable {
    /// No member, or not known to be one in this generation of the store.
    case outside
    /// A member that has not asserted its rooms.
    case entered
    case member
  }

  public let timing: LeaseTiming
  private var phase = Phase.outside
  private var connection: String?
  /// The process of the store in which the node entered last.
  private var generation = ""
  /// When that process was first seen, if the node was in another one before.
  private var changed: Instant?
  public private(set) var incarnation: Incarnation?
  public private(set) var membership = Membership()
  private var authority: Authority?
  private var rooms: [RoomName: Int64] = [:]
  private var past = PastFences()
  private var watch: MemberWatch
  /// When all members were read last in this connection.
  private var listed: Instant?
  /// Members that have entered since: their first records may not be complete.
  private var recent: [Incarnation] = []
  private var given = GivenPromises()
  /// Members whose end was requested, with the beat of that request: they get no promise.
  private var ending: [Incarnation: Int64] = [:]
  /// Own incarnations that lost their authority and may still be members.
  private var left: [Incarnation] = []
  private var beat: Int64 = 0
  private var seen: Int64 = 0
  /// When the request under way was sent.
  private var sent: Instant?
  private var next: Instant
  private var nextAsk: Instant
  private var nextEnd: Instant
  /// When the incarnation entered.
  private var enteredAt: Instant?
  /// Until then the node claims no room.
  private var graceEnd: Instant?
  private var commands: [Command] = []

  public init(_ timing: LeaseTiming = .init(), now: Instant) {
    self.timing = timing
    watch = MemberWatch(timing)
    (next, nextAsk, nextEnd) = (now, now, now)
  }

  /// Takes the commands since the last call. Call it after each input.
  public mutating func takeCommands() -> [Command] {
    defer { commands.removeAll(keepingCapacity: true) }
    return commands
  }

  // MARK: Questions

  /// When the node's authority over its rooms ends; nil if it has none.
  public var authorityEnd: Instant? { authority?.end }

  /// The fence of a room; nil unless the node owns it now.
  public func fence(of room: RoomName, now: Instant) -> Int64? {
    guard let authority, now < authority.end else { return nil }
    return rooms[room]
  }

  /// Whether the store has the owners of this node's rooms, as far as the node knows.
  public var hasAsserted: Bool { phase == .member }

  /// The rooms that the node owns, as of the last input.
  public var owned: [RoomLease] { rooms.map { RoomLease(room: $0.key, fence: $0.value) } }

  /// Whether the node rests on promises, because the store does not answer.
  public func restsOnPromises(now: Instant) -> Bool {
    guard let authority else { return false }
    return now - authority.contact >= timing.life - timing.margin && now < authority.end
  }

  /// Whether the node may claim a room that has this owner; nil for a room without one.
  public func mayClaim(from owner: Incarnation?, now: Instant) -> Bool {
    guard phase == .member, connection == generation, let authority, now < authority.end, now - authority.contact < timing.life,
      graceEnd.map({ $0 <= now }) ?? true
    else { return false }
    return owner.map { $0 == incarnation || membership.hasEnded($0) } ?? true
  }

  /// Whether a member may be dead: it has missed renewals, while this node reads the store.
  public func isSilent(_ member: Incarnation, now: Instant) -> Bool {
    guard let authority, now - authority.contact < timing.patience else { return false }
    return watch.silence(of: member, now: now) > timing.patience + timing.interval / 2
  }

  // MARK: Inputs

  /// Time passes. Call it at least every 100 ms.
  public mutating func advance(to now: Instant) {
    checkAuthority(now)
    given.removeEnded(now: now)
    past.advance(to: now)
    renewIfDue(now)
    endExpired(now)
    askIfNeeded(now)
  }

  /// The store is connected.
  /// - Parameter process: identifies the process of the store; another one may have lost writes.
  public mutating func connected(to process: String, now: Instant) {
    checkAuthority(now)
    connection = process
    listed = nil
    if process != generation { phase = .outside }
    next = now
    renewIfDue(now)
  }

  public mutating func disconnected(now: Instant) {
    checkAuthority(now)
    connection = nil
  }

  /// The request under way has no answer, or was not sent.
  public mutating func failed(now: Instant) {
    checkAuthority(now)
    sent = nil
    next = now.advanced(microseconds: timing.retry)
  }

  public mutating func joined(_ entry: Entry, now: Instant) {
    checkAuthority(now)
    guard sent != nil, let connection else { return failed(now: now) }
    sent = nil
    if entry.incarnation != incarnation { enteredAt = now }
    if !generation.isEmpty, generation != connection { changed = now }
    let isRecent = enteredAt.map { now - $0 < timing.settled } ?? true
    let grace: Int64 =
      if entry.isNewStore && changed == nil {
        timing.life + 2 * timing.margin
      } else {
        isRecent ? timing.settled : timing.grace
      }
    if entry.age < grace {
      let end = now.advanced(microseconds: grace - max(0, entry.age))
      graceEnd = graceEnd.map { max($0, end) } ?? end
    }
    generation = connection
    incarnation = entry.incarnation
    note(.all(entry.membership), now)
    left = []
    let peers = peers
    authority?.met(peers)
    if rooms.isEmpty {
      phase = .member
    } else {
      phase = .entered
    }
    next = now
    renewIfDue(now)
  }

  /// - Parameter refused: rooms that another node owns with the same fence or a higher one.
  public mutating func asserted(refused: [RoomName], now: Instant) {
    checkAuthority(now)
    guard sent != nil else { return }
    sent = nil
    drop(refused)
    if phase == .entered { phase = .member }
    next = now
    renewIfDue(now)
  }

  /// - Parameter answer: nil if the node is no member.
  public mutating func renewed(_ answer: MemberReading.Answer?, now: Instant) {
    checkAuthority(now)
    guard let sent else { return }
    self.sent = nil
    next = sent.advanced(microseconds: timing.interval)
    guard let answer, connection == generation else {
      phase = .outside
      next = now.advanced(microseconds: timing.retry)
      return
    }
    note(answer, now)
    let peers = peers
    if authority == nil {
      authority = Authority(timing, contact: sent, peers: peers)
    } else {
      authority?.renewed(contact: sent, peers: peers)
    }
    checkAuthority(now)
  }

  /// A member was removed.
  /// - Parameter epoch: that of the store then.
  public mutating func ended(_ member: Incarnation, epoch: Int64, now: Instant) {
    checkAuthority(now)
    // Not `note`: only the answer to a renewal changes what this node is known to have seen.
    if epoch >= membership.epoch { membership.members[member] = nil }
  }

  /// A member asks for a promise. Returns whether this node promises.
  public mutating func asked(_ request: PromiseRequest, now: Instant) -> Bool {
    checkAuthority(now)
    guard request.asked == incarnation, request.asker != incarnation, ending[request.asker] == nil,
      !membership.hasEnded(request.asker)
    else { return false }
    // After a change of the store the asker has to assert its rooms there, in a time in which nobody claims them.
    if request.generation != generation, let changed, now - changed >= timing.life { return false }
    return given.give(request.asker, until: now.advanced(microseconds: timing.life))
  }

  /// - Parameter sent: the time of the request.
  public mutating func promised(_ request: PromiseRequest, asked sent: Instant, now: Instant) {
    checkAuthority(now)
    guard request.asker == incarnation else { return }
    authority?.promised(by: request.asked, asked: sent)
  }

  /// The store has made this node the owner of a room.
  /// - Parameter owner: the incarnation of the request.
  /// - Returns: false if the node has lost its authority meanwhile, or given the room up with a higher fence, and does not own it.
  public mutating func claimed(_ lease: RoomLease, by owner: Incarnation, now: Instant) -> Bool {
    checkAuthority(now)
    guard owner == incarnation, phase == .member, authority != nil, past.allows(lease) else { return false }
    rooms[lease.room] = max(lease.fence, rooms[lease.room] ?? 0)
    return true
  }

  /// The node ends: it owns nothing any more, and others may claim its rooms at once.
  public mutating func leave() {
    if let incarnation { commands.append(.leave(incarnation)) }
    (authority, incarnation, connection) = (nil, nil, nil)
    drop(Array(rooms.keys))
  }

  /// The room has closed, or another node owns it: the store has refused its fence.
  public mutating func released(_ room: RoomName) {
    if let fence = rooms.removeValue(forKey: room) { past.add(RoomLease(room: room, fence: fence)) }
  }

  // MARK: Steps

  private var peers: Set<Incarnation> { Set(membership.members.keys.filter { $0 != incarnation }) }

  private mutating func note(_ answer: MemberReading.Answer, _ now: Instant) {
    let read: [ClusterMember]
    switch answer {
    case .all(let all):
      membership = all
      (listed, recent) = (now, [])
      read = Array(all.members.values)
    case .changes(let changes):
      recent = (recent + changes.members.map(\.incarnation).filter { membership.members[$0] == nil }).suffix(Self.recentLimit)
      membership.apply(changes)
      read = changes.members
    }
    seen = membership.epoch
    watch.note(membership, read: read, by: incarnation, now: now)
    ending = ending.filter { membership.members[$0.key]?.beat == $0.value }
  }

  /// Stops the rooms once the authority over them has ended. The function does not return: the node enters again.
  private mutating func checkAuthority(_ now: Instant) {
    guard let authority, authority.end <= now else { return }
    self.authority = nil
    // The members among it that were not removed yet are few: each took an extension's time or a pause to end.
    if let incarnation { left = left.suffix(7) + [incarnation] }
    incarnation = nil
    enteredAt = nil
    phase = .outside
    drop(Array(rooms.keys))
  }

  private mutating func drop(_ names: [RoomName]) {
    let gone = names.compactMap { name in rooms.removeValue(forKey: name).map { RoomLease(room: name, fence: $0) } }
    if !gone.isEmpty { commands.append(.stop(gone)) }
  }

  private mutating func renewIfDue(_ now: Instant) {
    guard sent == nil, connection != nil, next <= now else { return }
    sent = now
    switch (phase, incarnation) {
    case (.outside, _), (_, nil): commands.append(.join(previous: incarnation, leaving: left))
    case (.entered, let incarnation?): commands.append(.assert(owned, incarnation))
    case (.member, let incarnation?):
      beat += 1
      commands.append(.renew(incarnation, beat: beat, seen: seen, reading(now)))
    }
  }

  private static let recentLimit = 64

  /// What the next renewal reads. In a new connection that is all, because the store may be another one with the same past.
  private func reading(_ now: Instant) -> MemberReading {
    guard let listed, now - listed < timing.listing, watch.watched.count < peers.count else { return MemberReading() }
    return MemberReading(
      since: membership.version, records: Array(watch.watched.union(recent + (incarnation.map { [$0] } ?? []))))
  }

  private mutating func endExpired(_ now: Instant) {
    guard phase == .member, connection == generation, nextEnd <= now, let incarnation else { return }
    nextEnd = now.advanced(microseconds: timing.retry)
    for member in membership.members.values where member.incarnation != incarnation {
      guard watch.hasExpired(member, for: incarnation, now: now), !given.isInForce(for: member.incarnation, now: now) else {
        continue
      }
      ending[member.incarnation] = member.beat
      commands.append(.end(member.incarnation, beat: member.beat, by: incarnation))
    }
  }

  /// Asks all members for promises while renewals do not succeed.
  private mutating func askIfNeeded(_ now: Instant) {
    guard let authority, let incarnation, now - authority.contact >= timing.patience, nextAsk <= now else {
      return
    }
    nextAsk = now.advanced(microseconds: timing.interval)
    for peer in authority.peers {
      commands.append(
        .ask(PromiseRequest(asker: incarnation, asked: peer, generation: generation), sent: now))
    }
  }
}
