import RoomProtocol

/// One room's truth about seats, layout, requests, invitations, PK, messages and attributes.
///
/// Pure: it knows no clock, no socket and no chance. Who drives it does this, one thing after the other:
/// - tells the time with `advance(to:)` before each call, and at `nextDeadline`; by a clock that does not jump;
/// - tells who comes and goes: `join`, `leave`, `setConnected`;
/// - makes the calls, each by a `Caller`. A call that throws has changed nothing;
/// - takes what came of it with `takeOutputs()`: changes to tell, effects to carry out, messages to other rooms.
///
/// Every change is told under a number that grows by one; `changes(after:for:)` has those that a client missed. The whole of it is
/// `Codable` and comes back equal, with running timeouts: times are milliseconds since 1970.
///
/// A PK has a half in each of its rooms; the halves talk by `PKMessage`s, which may be late, twice, or in another order.
public struct RoomState: Codable, Hashable, Sendable {
  public let name: RoomName
  /// Milliseconds since 1970.
  public let createdAt: Int64
  /// Those of times are in force for what begins later.
  public var rules: RoomRules
  /// The latest time that it was told of; milliseconds since 1970.
  public internal(set) var clock: Int64
  public internal(set) var isClosed = false
  var members = Members()
  public internal(set) var layout = Layout.standard
  var seats = Seats(count: Layout.standard.seatCount)
  var requests = WaitingList<SeatRequest>()
  var invitations = WaitingList<SeatInvitation>()
  public internal(set) var attributes: [String: String] = [:]
  var history: [RoomMessage] = []
  var pk = PKHalf()
  var journal: Journal
  private var outputs: [Output] = []

  private enum CodingKeys: String, CodingKey {
    case name, createdAt, rules, clock, isClosed, members, layout, seats, requests, invitations, attributes, history, pk,
      journal
  }

  /// An empty room.
  /// - Parameter createdAt: now; milliseconds since 1970.
  public init(name: RoomName, createdAt: Int64, rules: RoomRules = RoomRules()) {
    self.name = name
    self.createdAt = createdAt
    self.rules = rules
    clock = createdAt
    journal = Journal(entries: rules.journalEntries, bytes: rules.journalBytes)
  }

  // MARK: What is told

  /// The number of the last change.
  public var sequence: Int { journal.sequence }

  /// What happened since the last time, in order. Empty again after it.
  public mutating func takeOutputs() -> [Output] {
    let taken = outputs
    outputs.removeAll(keepingCapacity: true)
    return taken
  }

  public var hasOutputs: Bool { !outputs.isEmpty }

  mutating func tell(_ change: RoomChange, to audience: Audience = .everyone) {
    outputs.append(.change(journal.append(change, to: audience), to: audience))
  }

  mutating func want(_ effect: Effect) { outputs.append(.effect(effect)) }

  mutating func send(_ body: PKMessage.Body, about pkId: PKID, to room: RoomName) {
    outputs.append(.peer(PKMessage(pkId: pkId, from: name, to: room, body: body)))
  }

  // MARK: What is seen

  /// The room as a user may see it; its jobs are for the caller to fill in.
  /// - Parameter user: nil for the API, which sees all.
  public func snapshot(for user: UserID?) -> RoomSnapshot {
    RoomSnapshot(
      name: name, createdAt: createdAt, seq: sequence, layout: layout, seats: seats.all, requests: requests.all,
      invitations: invitations.all, attributes: attributes, messages: history, pk: pk.info,
      pkInvitations: sees(.admins, user) ? pk.invitations : [])
  }

  /// The changes after number `seq` that the user may see, each with its own number; nil where they are not all known any more,
  /// or the number is from another life of the room: then a snapshot is needed.
  public func changes(after seq: Int, for user: UserID?) -> [NumberedChange]? {
    journal.entries(after: seq)?.filter { sees($0.audience, user) }.map(\.change)
  }

  /// Whether a change to the audience is for the user; nil is the API.
  public func sees(_ audience: Audience, _ user: UserID?) -> Bool {
    guard let user else { return true }
    return switch audience {
    case .everyone: true
    case .users(let users): users.contains(user)
    case .admins: members[user]?.grants.contains(.admin) ?? false
    }
  }
}
