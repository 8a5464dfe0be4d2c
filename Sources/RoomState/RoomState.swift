import RoomProtocol

/// The authoritative state of one room: seats, layout, requests, invitations, PK, messages and attributes.
///
/// A pure state machine without clock, sockets or randomness. The machine's driver does the following, serially:
/// - advances the clock with `advance(to:)` before each call and at `nextDeadline`; the clock must not jump;
/// - reports presence with `join`, `leave` and `setConnected`;
/// - performs the calls, each with a `Caller`. A call that throws changes nothing;
/// - drains `takeOutputs()`: changes to send, effects to perform, messages to other rooms.
///
/// Every change has a number, one greater than the last; `changes(after:for:)` returns those that a client missed. The state is
/// `Codable` and decodes to an equal value with its timeouts running: times are milliseconds since 1970.
///
/// Each of the two rooms in a PK has one half of it. The halves exchange `PKMessage`s, which may arrive late, twice or out of
/// order.
public struct RoomState: Codable, Hashable, Sendable {
  public let name: RoomName
  /// Milliseconds since 1970.
  public let createdAt: Int64
  /// Changed times apply only to what starts later.
  public var rules: RoomRules
  /// The latest time passed to `advance(to:)`; milliseconds since 1970.
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
  /// The search for a PK opponent.
  var search: PKSearch?
  var journal: Journal
  private var outputs: [Output] = []

  private enum CodingKeys: String, CodingKey {
    case name, createdAt, rules, clock, isClosed, members, layout, seats, requests, invitations, attributes, history, pk,
      search, journal
  }

  /// Creates an empty room.
  /// - Parameters:
  ///   - createdAt: the current time in milliseconds since 1970.
  ///   - attributes: its first attributes; valid ones.
  public init(name: RoomName, createdAt: Int64, rules: RoomRules = RoomRules(), attributes: [String: String] = [:]) {
    self.name = name
    self.attributes = attributes
    self.createdAt = createdAt
    self.rules = rules
    clock = createdAt
    journal = Journal(entries: rules.journalEntries, bytes: rules.journalBytes)
  }

  // MARK: Outputs

  /// The number of the last change.
  public var sequence: Int { journal.sequence }

  /// Returns the outputs since the last call, in order, and clears them.
  public mutating func takeOutputs() -> [Output] {
    let taken = outputs
    outputs.removeAll(keepingCapacity: true)
    return taken
  }

  public var hasOutputs: Bool { !outputs.isEmpty }

  mutating func announce(_ change: RoomChange, to audience: Audience = .everyone) {
    outputs.append(.change(journal.append(change, to: audience), to: audience))
  }

  mutating func emit(_ effect: Effect) { outputs.append(.effect(effect)) }

  mutating func send(_ body: PKMessage.Body, about pkId: PKID, to room: RoomName) {
    outputs.append(.peer(PKMessage(pkId: pkId, from: name, to: room, body: body)))
  }

  // MARK: Reading

  /// Returns the room as a user may see it. The caller adds the jobs.
  /// - Parameter user: nil for the API, which sees everything.
  public func snapshot(for user: UserID?) -> RoomSnapshot {
    var snapshot = RoomSnapshot(
      name: name, createdAt: createdAt, seq: sequence, layout: layout, seats: seats.all, requests: requests.all,
      invitations: invitations.all, attributes: attributes, messages: history, pk: pk.info,
      pkInvitations: sees(.admins, user) ? pk.invitations.filter { $0.pkId != search?.match?.pkId } : [])
    if sees(.admins, user) { snapshot.pkMatching = search?.ticket }
    return snapshot
  }

  /// Returns the changes after number `seq` that the user may see, each with its own number. Nil if some are no longer in the
  /// journal, or the number dates from before the room was restored: the client then needs a snapshot.
  public func changes(after seq: Int, for user: UserID?) -> [NumberedChange]? {
    journal.entries(after: seq)?.filter { sees($0.audience, user) }.map(\.change)
  }

  /// Returns whether the audience includes the user; nil is the API.
  public func sees(_ audience: Audience, _ user: UserID?) -> Bool {
    guard let user else { return true }
    return switch audience {
    case .everyone: true
    case .users(let users): users.contains(user)
    case .admins: members[user]?.grants.contains(.admin) ?? false
    }
  }
}
