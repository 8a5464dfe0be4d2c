import RoomProtocol
import RoomTestSupport

@testable import RoomState

/// Rooms of one PK of 2 to 9 that join, leave, score, fall silent and are restored. The network between them loses, delays,
/// duplicates and reorders messages, and is cut for a while.
struct MeetingWalk {
  private struct Letter {
    var message: PKMessage
    /// Milliseconds since 1970.
    var due: Int64
  }

  private let names: [RoomName]
  private var random: SeededGenerator
  private var rooms: [RoomName: RoomState] = [:]
  private var letters: [Letter] = []
  private var now: Int64 = 1_700_000_000_000
  /// Whether messages are lost and late.
  private var isLossy = true
  /// Rooms that the others do not reach.
  private var cut: Set<RoomName> = []
  private var lastID = 0
  /// Each charter that counted in some room, by PK and version.
  private var charters: [PKID: [PKCharter.Version: PKCharter]] = [:]
  /// The newest of each PK.
  private var newest: [PKID: PKCharter] = [:]
  /// The scores of each PK with a result.
  private var results: [PKID: PKResult] = [:]
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64, rooms count: Int) throws {
    random = SeededGenerator(seed: seed)
    names = (0..<count).map { RoomName("r\(($0 * 11) % count)") }
    var rules = RoomRules()
    rules.pkRooms = count
    for name in names {
      var room = RoomState(name: name, createdAt: now, rules: rules)
      try room.join(host(name), grants: [.admin, .publish, .subscribe])
      _ = room.takeOutputs()
      rooms[name] = room
    }
  }

  private func host(_ name: RoomName) -> UserID { UserID("host-\(name)") }

  // MARK: Steps

  mutating func step() throws {
    now += Int64(random.chance(1, in: 40) ? random.below(9000) : random.below(300))
    for name in names { try change(name) { $0.advance(to: $1) } }
    try deliver()
    let name = random.pick(names)
    do { try act(name) } catch is RoomError { counts["refused", default: 0] += 1 }
  }

  /// Changes a room, checks it, and sends its messages.
  private mutating func change(_ name: RoomName, _ change: (inout RoomState, Int64) throws -> Void) throws {
    guard var room = rooms[name] else { return }
    room.advance(to: now)
    defer { rooms[name] = room }
    let result = Result { try change(&room, now) }
    for output in room.takeOutputs() {
      switch output {
      case .peer(let message): post(message)
      case .change(let change, _): try look(change.change)
      case .effect: break
      }
    }
    try room.checkInvariants()
    if let running = room.pk.running, let meeting = running.meeting { try record(meeting.charter, of: running.info.pkId) }
    try result.get()
  }

  private mutating func look(_ change: RoomChange) throws {
    switch change {
    case .pkBegan: counts["began", default: 0] += 1
    case .pkEnded(let data):
      counts["ended \(data.reason.rawValue)", default: 0] += 1
      guard let result = data.result else { return }
      guard results[data.pkId] ?? result == result else { throw Violation("two results: \(result), \(results)") }
      results[data.pkId] = result
      counts["result", default: 0] += 1
    default: break
    }
  }

  /// Two charters never count side by side, and none that counted is lost.
  private mutating func record(_ charter: PKCharter, of id: PKID) throws {
    if let known = charters[id]?[charter.version] {
      guard known == charter else { throw Violation("two charters of one version: \(known), \(charter)") }
      return
    }
    charters[id, default: [:]][charter.version] = charter
    if let last = newest[id] {
      guard charter.version > last.version else { throw Violation("\(charter.version) counts after \(last.version)") }
      guard charter.extensions >= last.extensions, charter.endsAt ?? 0 >= last.endsAt ?? 0,
        last.result == nil || charter.result == last.result
      else { throw Violation("a decision was lost: \(last), \(charter)") }
      counts["decision", default: 0] += 1
    }
    newest[id] = charter
  }

  // MARK: Network

  private mutating func post(_ message: PKMessage) {
    guard isLossy else { return letters.append(Letter(message: message, due: now)) }
    if random.chance(1, in: 12) || cut.contains(message.from) != cut.contains(message.to) { return }
    letters.append(Letter(message: message, due: now + Int64(random.below(random.chance(1, in: 8) ? 6000 : 200))))
    if random.chance(1, in: 12) { letters.append(Letter(message: message, due: now + Int64(random.below(20_000)))) }
  }

  private mutating func deliver() throws {
    while let index = letters.indices.min(by: { letters[$0].due < letters[$1].due }), letters[index].due <= now {
      let message = letters.remove(at: index).message
      try change(message.to) { room, _ in room.receive(message) }
    }
  }

  // MARK: What the users do

  private mutating func newID() -> PKID {
    lastID += 1
    return PKID("p\(lastID)")
  }

  private mutating func act(_ name: RoomName) throws {
    guard let room = rooms[name] else { return }
    let other = random.pick(names)
    let id = newID()
    let score = random.below(100)
    switch random.below(40) {
    case 0...3:
      var params = PKInviteParams(room: other)
      params.pkId = room.pk.info?.pkId
      if params.pkId == nil {
        params.duration = random.chance(1, in: 2) ? 30 + random.below(300) : nil
        params.rules = PKRules(punishment: random.below(20), overtime: random.chance(1, in: 2) ? 10 : nil)
        params.others = names.filter { $0 != name && $0 != other && random.chance(1, in: 2) }.map { PKInvitee(room: $0) }
      }
      try change(name) { room, _ in _ = try room.invitePK(params, id: id, by: .api) }
    case 4...12:
      guard let invitation = room.pk.invitations.first(where: { $0.to.room == name }) else { return }
      try change(name) { room, _ in try room.acceptPK(invitation.pkId, by: .api) }
    case 13 where random.chance(1, in: 6): try change(name) { room, _ in try room.quitPK(by: .api) }
    case 14 where random.chance(1, in: 2): try change(name) { room, _ in try room.removeFromPK(other, by: .api) }
    case 15: try change(name) { room, _ in try room.mutePKPeer(score % 2 == 0, in: other, forAll: true, by: .api) }
    case 16...18: try change(name) { room, _ in try room.setPKScore(score, by: .api) }
    case 19 where random.chance(1, in: 3): try change(name) { room, _ in try room.extendPK(seconds: 1 + score, by: .api) }
    case 20 where random.chance(1, in: 6):
      cut = cut.isEmpty ? Set(names.filter { _ in random.chance(1, in: 2) }) : []
      counts["cut", default: 0] += 1
    case 21 where random.chance(1, in: 4):
      let isConnected = random.chance(2, in: 3)
      try change(name) { [user = host(name)] room, _ in room.setConnected(user, isConnected) }
    case 22 where random.chance(1, in: 3):
      var restored = room.stored
      restored.restore(at: now)
      restored.setConnected(host(name), true)
      rooms[name] = restored
      try change(name) { _, _ in }
      counts["restored", default: 0] += 1
    default: try change(name) { [user = host(name)] room, _ in room.setConnected(user, true) }
    }
  }

  // MARK: Rest

  /// Lets the rooms rest without losses; afterwards they agree, and no room is in a PK that others ended.
  mutating func settle() throws {
    (cut, isLossy) = ([], false)
    defer { isLossy = true }
    for _ in 0..<60 {
      now += 1000
      for name in names {
        try change(name) { [user = host(name)] room, now in
          room.advance(to: now)
          room.setConnected(user, true)
        }
      }
      try deliver()
    }
    for (name, room) in rooms {
      guard let running = room.pk.running else { continue }
      let parties = running.meeting?.charter.parties.map(\.room) ?? [name, running.info.room]
      for party in parties where party != name {
        guard let other = rooms[party]?.pk.running, other.info.pkId == running.info.pkId else {
          throw Violation("\(name) is in \(running.info.pkId) with \(party), which is not: \(running)")
        }
        guard other.meeting?.charter == running.meeting?.charter else {
          throw Violation("\(name) and \(party) do not agree: \(running), \(other)")
        }
        let (seen, own) = (running.info.members?.first { $0.room == party }?.score, other.info.score)
        guard seen ?? own == own else { throw Violation("\(name) sees the score \(seen ?? 0) of \(party) instead of \(own)") }
      }
    }
  }
}
