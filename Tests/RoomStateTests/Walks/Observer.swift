import RoomProtocol

@testable import RoomState

/// A violation found after a step of a walk; it ends the walk.
struct Violation: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Checks a room's outputs as clients see them: maintains snapshots from the events alone, and matches every end with its
/// start.
struct Observer {
  /// A client that maintains a snapshot from events.
  struct Replica {
    /// Nil for the API.
    let user: UserID?
    var snapshot: RoomSnapshot
  }

  private var replicas: [Replica]
  /// An outdated snapshot, to be updated from the room's journal.
  private var earlier: Replica
  private let limits: RoomLimits
  private(set) var sequence: Int
  private var requested: Set<UserID> = []
  private var invited: Set<UserID> = []
  private(set) var invitedToPK: Set<PKID> = []
  /// The PK that was announced.
  private(set) var pk: PKInfo?
  private(set) var finished: [PKID: Int] = [:]
  /// The seat of each user according to the effects.
  private var seated: [UserID: Int] = [:]
  private(set) var counts: [String: Int] = [:]
  /// What the room asked of the queue of those that look for an opponent.
  var matching: [Effect] = []
  private var isMatching = false

  /// - Parameter users: the observers, which must stay in the room.
  init(_ room: RoomState, users: [UserID?]) {
    replicas = users.map { Replica(user: $0, snapshot: room.snapshot(for: $0)) }
    earlier = Replica(user: users[0], snapshot: room.snapshot(for: users[0]))
    limits = room.rules.limits
    sequence = room.sequence
    pk = room.pk.info
    requested = Set(room.requests.all.map(\.userId))
    invited = Set(room.invitations.all.map(\.userId))
    invitedToPK = Set(room.snapshot(for: nil).pkInvitations.map(\.pkId))
    isMatching = room.search != nil
    for seat in room.seats.all { if let user = seat.userId { seated[user] = seat.index } }
  }

  /// Checks the room's outputs.
  /// - Returns: the messages for other rooms.
  mutating func look(at room: inout RoomState) throws -> [PKMessage] {
    guard room.hasOutputs else { return [] }
    var messages: [PKMessage] = []
    for output in room.takeOutputs() {
      switch output {
      case .change(let numbered, let audience):
        sequence += 1
        guard numbered.seq == sequence else { throw Violation("number \(numbered.seq) after \(sequence - 1)") }
        try match(numbered.change)
        for index in replicas.indices where room.sees(audience, replicas[index].user) {
          replicas[index].snapshot.apply(numbered, limits: limits)
        }
      case .effect(let effect): try match(effect)
      case .peer(let message): messages.append(message)
      }
    }
    return messages
  }

  private mutating func match(_ change: RoomChange) throws {
    counts[change.name, default: 0] += 1
    switch change {
    case .seatChanged(let data):
      counts["seat " + data.cause.rawValue, default: 0] += 1
      if [.taken, .requested, .invited].contains(data.cause), data.seat.locked { throw Violation("on a locked seat: \(data)") }
      if data.seat.userId != nil, data.userId != nil, data.seat.userId != data.userId { throw Violation("\(data)") }
    case .seatRequested(let request):
      guard requested.insert(request.userId).inserted else { throw Violation("\(request.userId) requested a seat twice") }
    case .seatRequestEnded(let data):
      counts["request " + data.outcome.rawValue, default: 0] += 1
      guard requested.remove(data.userId) != nil else { throw Violation("\(data.userId) had no pending request") }
      guard (data.outcome == .accepted) == (data.index != nil) else { throw Violation("\(data)") }
    case .seatInvited(let invitation):
      guard invited.insert(invitation.userId).inserted else { throw Violation("\(invitation.userId) was invited twice") }
    case .seatInvitationEnded(let data):
      counts["invitation " + data.outcome.rawValue, default: 0] += 1
      guard invited.remove(data.userId) != nil else { throw Violation("\(data.userId) had no pending invitation") }
    case .pkInvited(let invitation):
      guard invitedToPK.insert(invitation.pkId).inserted else { throw Violation("invited twice to \(invitation.pkId)") }
    case .pkInvitationEnded(let data):
      counts["pk " + data.outcome.rawValue, default: 0] += 1
      guard invitedToPK.remove(data.pkId) != nil else { throw Violation("\(data.pkId) ended, but was not pending") }
      if data.outcome == .accepted { finished[data.pkId, default: 0] += 1 }
    case .pkMatching:
      guard !isMatching, pk == nil else { throw Violation("a second search, or one during a PK") }
      isMatching = true
    case .pkMatchEnded(let data):
      counts["match " + data.outcome.rawValue, default: 0] += 1
      guard isMatching else { throw Violation("\(data.ticket) ended, but was not pending") }
      isMatching = false
      if let pkId = data.pkId { finished[pkId, default: 0] += 1 }
    case .pkBegan(let info):
      guard !isMatching else { throw Violation("\(info.pkId) started during a search") }
      guard pk == nil else { throw Violation("a second PK started: \(info), within \(String(describing: pk))") }
      guard finished[info.pkId] == 1 else { throw Violation("\(info.pkId) started without exactly one acceptance") }
      finished[info.pkId] = 2
      pk = info
    case .pkChanged(let info):
      guard pk?.pkId == info.pkId, pk != info else { throw Violation("\(info.pkId) is not running, or did not change") }
      pk = info
    case .pkEnded(let data):
      counts["pkEnded " + data.reason.rawValue, default: 0] += 1
      guard pk?.pkId == data.pkId else { throw Violation("\(data.pkId) ended, but was not running") }
      pk = nil
    default: break
    }
  }

  private mutating func match(_ effect: Effect) throws {
    switch effect {
    case .seated(let seat):
      guard let user = seat.userId, seated.updateValue(seat.index, forKey: user) == nil else { throw Violation("\(effect)") }
    case .unseated(let user, let index):
      guard seated.removeValue(forKey: user) == index else { throw Violation("\(effect)") }
    case .switched(let seat):
      guard let user = seat.userId, seated[user] == seat.index else { throw Violation("\(effect)") }
    case .enterMatching, .leaveMatching: matching.append(effect)
    default: break
    }
  }

  /// Checks that as many requests and invitations are pending as were announced and have not ended.
  func checkCounts(_ room: RoomState) throws {
    guard requested.count == room.requests.count, invited.count == room.invitations.count,
      invitedToPK.count == room.snapshot(for: nil).pkInvitations.count, isMatching == (room.search != nil), pk == room.pk.info,
      sequence == room.sequence
    else { throw Violation("the pending entries differ from those announced") }
  }

  /// Checks that the snapshots maintained from events equal the room's.
  func compare(_ room: RoomState) throws {
    for replica in replicas {
      let now = room.snapshot(for: replica.user)
      var kept = replica.snapshot
      // This user may not see the last changes.
      kept.seq = now.seq
      guard kept == now else { throw Violation("\(replica.user ?? "the API") has \(kept), but the room has \(now)") }
    }
    for seat in room.seats.all {
      if let user = seat.userId, seated[user] != seat.index { throw Violation("\(user) is seated without an effect") }
    }
    guard seated.count == room.seats.all.filter({ $0.userId != nil }).count else { throw Violation("too many effects seated") }
  }

  /// Updates an outdated snapshot from the room's journal, unless the journal no longer reaches back that far.
  mutating func replay(_ room: RoomState, next user: UserID?) throws {
    if let missed = room.changes(after: earlier.snapshot.seq, for: earlier.user) {
      for change in missed { earlier.snapshot.apply(change, limits: limits) }
      let now = room.snapshot(for: earlier.user)
      earlier.snapshot.seq = now.seq
      guard earlier.snapshot == now else { throw Violation("replayed to \(earlier.snapshot), but the room has \(now)") }
      counts["replayed", default: 0] += 1
    } else {
      guard room.sequence - earlier.snapshot.seq > room.journal.count else { throw Violation("changes are withheld") }
      counts["too old", default: 0] += 1
    }
    earlier = Replica(user: user, snapshot: room.snapshot(for: user))
  }
}
