import RoomProtocol

/// Who is in a room, and which of them are no longer as they were stored.
struct Members: Hashable, Sendable {
  private var members: [UserID: Member] = [:]
  /// Those that changed, came or left since ``takeChanges()``; nil while nobody is stored.
  private var changed: Set<UserID>?

  init() {}

  /// Members as they are stored.
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

  /// What a store that has all earlier changes lacks.
  mutating func takeChanges() -> MemberChanges {
    defer { changed = [] }
    guard let changed else { return MemberChanges(isWhole: true, members: members) }
    return MemberChanges(
      isWhole: false, members: Dictionary(uniqueKeysWithValues: changed.map { ($0, members[$0]) }))
  }

  /// A store lost what it was given: the next changes are all members.
  mutating func forgetStored() { changed = nil }

  // Equal are members; what a store has of them does not count.

  static func == (a: Members, b: Members) -> Bool { a.members == b.members }
  func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Members: Codable {
  init(from decoder: any Decoder) throws { members = try [UserID: Member](from: decoder) }
  func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// The members of a room that a store has to write.
public struct MemberChanges: Sendable {
  /// Whether `members` are all members: the store forgets those that it has.
  public let isWhole: Bool
  /// Nil for a member that left.
  public let members: [UserID: Member?]
}
