import RoomProtocol
import RoomTestSupport

@testable import RoomState

/// Rooms whose users invite one another. The network between them delays, duplicates and reorders messages, and loses some if
/// configured to.
struct PKWalk {
  struct Party {
    var room: RoomState
    var observer: Observer

    mutating func look() throws -> [PKMessage] { try observer.look(at: &room) }
  }

  struct Letter {
    var message: PKMessage
    /// Milliseconds since 1970.
    var due: Int64
  }

  static let names: [RoomName] = ["a", "b", "c"]
  var parties: [Party] = []
  private var random: SeededGenerator
  private var calls: RandomCalls
  private struct Seeker {
    var room: RoomName
    var ticket: TicketID
    var match: (pkId: PKID, room: RoomName)?
  }

  private var letters: [Letter] = []
  private var seekers: [Seeker] = []
  private var now: Int64 = 1_700_000_000_000
  /// One of this many letters is lost; 0 for none.
  private let losses: Int
  private let rules: RoomRules
  private var stored: [RoomState] = []
  private(set) var done: [String: Int] = [:]
  private(set) var refused: [Int: Int] = [:]
  /// Counts of the outputs of rooms that were replaced.
  private var told: [String: Int] = [:]
  /// Counts of the outputs of all rooms, by name and outcome.
  var counts: [String: Int] { parties.reduce(into: told) { $0.merge($1.observer.counts, uniquingKeysWith: +) } }

  init(seed: UInt64, losses: Int) throws {
    random = SeededGenerator(seed: seed)
    calls = RandomCalls(prefix: "pk\(seed)-")
    self.losses = losses
    var rules = RoomRules()
    rules.pkInvitations = 2
    rules.journalEntries = 100
    self.rules = rules
    for name in Self.names { parties.append(try newParty(name)) }
    stored = parties.map(\.room.stored)
  }

  private func newParty(_ name: RoomName) throws -> Party {
    var room = RoomState(name: name, createdAt: now, rules: rules)
    try RandomCalls.admitWatchers(to: &room)
    for user in hosts(of: name) { try room.join(user, grants: [.admin, .publish, .subscribe]) }
    _ = room.takeOutputs()
    return Party(room: room, observer: Observer(room, users: RandomCalls.watchers))
  }

  private func hosts(of name: RoomName) -> [UserID] { ["\(name)1", "\(name)2"] }

  // MARK: One step

  mutating func step(_ number: Int) throws {
    try pass(Int64(random.chance(1, in: 200) ? random.below(40_000) : random.below(300)))
    try deliver()
    let index = random.below(parties.count)
    let before = number % 8 == 0 ? parties[index].room : nil
    do throws(RoomError) {
      let what = try act(on: index)
      done[what, default: 0] += 1
    } catch {
      refused[error.code.rawValue, default: 0] += 1
      guard !parties[index].room.hasOutputs else { throw Violation("a failed call had outputs: \(error)") }
      guard before == nil || before == parties[index].room else {
        throw Violation("a failed call changed the state: \(error)")
      }
    }
    try parties[index].room.checkInvariants()
    for index in parties.indices { try gather(index) }
    if random.chance(1, in: 2000) { try crashOrClose(random.below(parties.count)) }
    if number % 64 == 0 {
      for index in parties.indices {
        try parties[index].observer.checkCounts(parties[index].room)
        try parties[index].observer.compare(parties[index].room)
      }
    }
  }

  private mutating func pass(_ milliseconds: Int64) throws {
    now += milliseconds
    for index in parties.indices {
      parties[index].room.advance(to: now)
      try gather(index)
    }
  }

  /// Takes a room's outputs and sends its letters.
  private mutating func gather(_ index: Int) throws {
    guard parties[index].room.hasOutputs else { return }
    for message in try parties[index].look() { post(message) }
    let orders = parties[index].observer.matching
    parties[index].observer.matching = []
    for order in orders { carryOut(order, of: parties[index].room.name) }
    try parties[index].room.checkInvariants()
  }

  /// Serves the rooms that look for an opponent, as the queue of a server does.
  private mutating func carryOut(_ order: Effect, of room: RoomName) {
    guard case .enterMatching(let ticket, let failed) = order else {
      if case .leaveMatching(let ticket) = order { seekers.removeAll { $0.ticket == ticket } }
      return
    }
    var own = seekers.first { $0.ticket == ticket.ticket } ?? Seeker(room: room, ticket: ticket.ticket)
    seekers.removeAll { $0.ticket == ticket.ticket }
    if own.match?.pkId == failed { own.match = nil }
    if own.match == nil, let index = seekers.firstIndex(where: { $0.match == nil && $0.room != room }) {
      let id = calls.newID()
      own.match = (id, seekers[index].room)
      seekers[index].match = (id, room)
      post(PKMessage(pkId: id, from: room, to: seekers[index].room, body: .matched))
    }
    seekers.append(own)
    if let match = own.match { post(PKMessage(pkId: match.pkId, from: match.room, to: room, body: .matched)) }
  }

  private mutating func post(_ message: PKMessage) {
    if losses > 0, random.chance(1, in: losses) { return }
    letters.append(Letter(message: message, due: now + Int64(random.below(random.chance(1, in: 5) ? 3000 : 200))))
    if random.chance(1, in: 10) { letters.append(Letter(message: message, due: now + Int64(random.below(20_000)))) }
  }

  private mutating func deliver() throws {
    var due: [PKMessage] = []
    letters.removeAll { letter in
      if letter.due <= now { due.append(letter.message) }
      return letter.due <= now
    }
    for message in due { try hand(over: message) }
  }

  private mutating func hand(over message: PKMessage) throws {
    guard let index = parties.firstIndex(where: { $0.room.name == message.to }) else {
      if let bounced = message.bounced { post(bounced) }
      return
    }
    parties[index].room.receive(message)
    try gather(index)
  }

  // MARK: What the users do

  private mutating func act(on index: Int) throws(RoomError) -> String {
    let name = parties[index].room.name
    let user = random.pick(hosts(of: name))
    let caller: Caller = random.chance(1, in: 3) ? .api : .user(random.chance(1, in: 10) ? "watcher" : user)
    let invitations = parties[index].room.pk.invitations
    let invitation = invitations.isEmpty ? "none" : invitations[random.below(invitations.count)].pkId
    switch random.below(26) {
    case 0:
      // Two rooms at once.
      let other = random.pick(Self.names)
      if let index = parties.firstIndex(where: { $0.room.name == other }) {
        _ = try? parties[index].room.invitePK(PKInviteParams(room: name), id: calls.newID(), by: .api)
      }
      _ = try parties[index].room.invitePK(PKInviteParams(room: other), id: calls.newID(), by: .api)
      return "invite"
    case 1...4:
      let other = random.chance(1, in: 15) ? "nowhere" : random.pick(Self.names)
      let wanted = random.chance(1, in: 4) ? random.pick(hosts(of: other) + ["nobody"]) : nil
      let params = PKInviteParams(
        room: other, userId: wanted, mode: random.chance(1, in: 3) ? .move : nil,
        duration: random.chance(1, in: 6) ? 10 + random.below(50) : nil)
      _ = try parties[index].room.invitePK(params, id: calls.newID(), by: caller)
      return "invite"
    case 5...8:
      try parties[index].room.acceptPK(invitation, by: caller)
      return "accept"
    case 9:
      try parties[index].room.rejectPK(invitation, reason: "no", by: caller)
      return "reject"
    case 10:
      try parties[index].room.cancelPK(invitation, by: caller)
      return "cancel"
    case 11:
      guard random.chance(1, in: 4) else { return "wait" }
      try parties[index].room.quitPK(by: caller)
      return "quit"
    case 12 where random.chance(1, in: 8):
      // More often, it would end most PKs before anything else happens to them.
      try parties[index].room.extendPK(seconds: 1 + random.below(60), by: caller)
      return "extend"
    case 12, 13:
      try parties[index].room.setPKScore(random.below(4), by: caller)
      return "score"
    case 14:
      try parties[index].room.mutePKPeer(random.chance(1, in: 2), by: caller)
      return "mute"
    case 15:
      _ = try parties[index].room.resumePK(by: user)
      return "resume"
    case 21:
      _ = try parties[index].room.matchPK(
        PKMatchParams(duration: random.chance(1, in: 2) ? 20 : nil, wait: 5 + random.below(60)),
        ticket: TicketID(calls.newID().rawValue), by: caller)
      return "match"
    case 22 where random.chance(1, in: 4):
      try parties[index].room.cancelMatch(by: caller)
      return "cancel match"
    case 16...18:
      return try move(user, index)
    case 19: return try sendGuest(index)
    case 20:
      if random.chance(1, in: 10) { try parties[index].room.leaveSeat(by: user) }
      return "get up"
    default:
      // A PK requires a user on the host's seat.
      _ = try parties[index].room.takeSeat(0, by: user)
      return "sit"
    }
  }

  /// Makes a host join, leave, or lose its connection for a while.
  private mutating func move(_ user: UserID, _ index: Int) throws(RoomError) -> String {
    guard let member = parties[index].room.members[user] else {
      try parties[index].room.join(user, grants: [.admin, .publish, .subscribe])
      return "join"
    }
    if !member.connected || random.chance(2, in: 3) {
      parties[index].room.setConnected(user, !member.connected)
      return "connection"
    }
    if random.chance(1, in: 3) {
      parties[index].room.leave(user, random.pick([.left, .kickedOut, .timedOut, .duplicateLogin]))
    }
    return "leave"
  }

  /// Makes the anchor of a PK by move join the other room, or act there.
  private mutating func sendGuest(_ index: Int) throws(RoomError) -> String {
    let room = parties[index].room
    if let guest = room.members.users.first(where: { room.members[$0]?.guestOf != nil }) {
      switch random.below(4) {
      case 0: parties[index].room.setConnected(guest, random.chance(1, in: 2))
      case 1: parties[index].room.leave(guest, random.pick([.left, .timedOut]))
      case 2: try parties[index].room.quitPK(by: .user(guest))
      default: _ = try parties[index].room.takeSeat(-1, by: guest)
      }
      return "guest acts"
    }
    guard let info = room.pk.info, info.mode == .move, !info.inviter else { return "no guest" }
    if let home = parties.firstIndex(where: { $0.room.name == info.room }) {
      parties[home].room.leave(info.userId, .left)
      // Its outputs are collected with its next step.
    }
    try parties[index].room.join(info.userId, grants: [.publish, .subscribe], pkGuest: info.pkId)
    return "guest"
  }

  /// Closes a room and creates a new one, or restores one from its present or an earlier stored state.
  private mutating func crashOrClose(_ index: Int) throws {
    let name = parties[index].room.name
    switch random.below(3) {
    case 0:
      parties[index].room.close()
      try gather(index)
      told.merge(parties[index].observer.counts, uniquingKeysWith: +)
      parties[index] = try newParty(name)
      done["close", default: 0] += 1
    case 1:
      try restart(index, parties[index].room.stored)
      done["restart", default: 0] += 1
    default:
      // With losses, any state may be lost; otherwise only so little that no state of a PK is.
      if losses > 0 { try restart(index, stored[index]) }
      done["crash", default: 0] += 1
    }
    stored = parties.map(\.room.stored)
  }

  private mutating func restart(_ index: Int, _ room: RoomState) throws {
    var room = room
    let given = parties[index].room.sequence
    room.restore(at: now)
    guard room.sequence > given else { throw Violation("a number is assigned twice") }
    for message in room.takeOutputs() { if case .peer(let message) = message { post(message) } }
    for watcher in RandomCalls.watchers { if let watcher { room.setConnected(watcher, true) } }
    _ = room.takeOutputs()
    told.merge(parties[index].observer.counts, uniquingKeysWith: +)
    parties[index].room = room
    parties[index].observer = Observer(room, users: RandomCalls.watchers)
  }

  // MARK: Rest

  /// Delivers everything in flight without further calls; afterwards the rooms must agree.
  mutating func settle() throws {
    if losses > 0 {
      // Beats and timeouts make up for losses; nothing more is lost meanwhile.
      for _ in 0..<80 {
        try pass(1000)
        try deliverAll()
      }
    } else {
      try deliverAll()
    }
    try checkAgreement()
  }

  private mutating func deliverAll() throws {
    // In the order of their times, so that later updates arrive later.
    while let first = letters.indices.min(by: { letters[$0].due < letters[$1].due }) {
      try hand(over: letters.remove(at: first).message)
    }
  }

  private func checkAgreement() throws {
    for party in parties {
      let pk = party.room.pk
      guard pk.accepted == nil else { throw Violation("\(party.room.name) waits for the PK to start: \(pk)") }
      if let running = pk.running {
        guard let other = parties.first(where: { $0.room.name == running.info.room })?.room.pk.running else {
          throw Violation("\(party.room.name) is alone in \(running)")
        }
        let (one, two) = (running.info, other.info)
        guard one.pkId == two.pkId, one.mode == two.mode, one.room != two.room, one.host == two.userId,
          one.inviter != two.inviter,
          one.startedAt == two.startedAt, one.endsAt == two.endsAt, one.score == two.peerScore,
          one.peerMuted == two.mutedByPeer,
          one.connected == two.peerConnected
        else { throw Violation("the rooms do not agree: \(running) and \(other)") }
      }
      for invitation in pk.invitations where losses == 0 {
        let room = invitation.from.room == party.room.name ? invitation.to.room : invitation.from.room
        guard let other = parties.first(where: { $0.room.name == room })?.room.pk,
          other[invitation.pkId] != nil || other.crossed?.pkId == invitation.pkId
        else { throw Violation("\(party.room.name) is the only room that knows \(invitation)") }
      }
    }
  }
}
