import RoomProtocol

/// The members of a room, with the set of those that differ from the store.
struct Members: Hashable, Sendable {
  private var members: [UserID: Member] = [:]
  /// Members that joined, left or changed since ``takeChanges()``; nil while none is stored.
  private var changed: Set<UserID>?

  init() {}

  /// Creates the collection from stored members.
  init(stored members: [UserID: Member]) {
    self.members = members
    changed = []
  }

  var users: some Collection<UserID> { members.keys }

  subscript(user: UserID) -> Member? {
    get { members[user] }
    set {
      members[user] = newValue
      changed?.insert(user)
    }
  }

  mutating func remove(_ user: UserID) -> Member? {
    guard let member = members.removeValue(forKey: user) else { return nil }
    changed?.insert(user)
    return member
  }

  /// Returns the changes since the last call, for the store.
  mutating func takeChanges() -> MemberChanges {
    defer { changed = [] }
    guard let changed else { return MemberChanges(isWhole: true, members: members) }
    return MemberChanges(
      isWhole: false, members: Dictionary(uniqueKeysWithValues: changed.map { ($0, members[$0]) }))
  }

  /// Records that a store lost its members: the next changes contain all of them.
  mutating func forgetStored() { changed = nil }

  // Compares only the members, not which of them are stored.

  static func == (a: Members, b: Members) -> Bool { a.members == b.members }
  func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Members: Codable {
  init(from decoder: any Decoder) throws { members = try [UserID: Member](from: decoder) }
  func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// The members of a room that a store has to write.
public struct MemberChanges: Sendable {
  /// Whether `members` contains all members: the store then removes those it has.
  public let isWhole: Bool
  /// The changed members; nil for one that left.
  public let members: [UserID: Member?]
}
