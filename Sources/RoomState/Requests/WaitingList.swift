import RoomProtocol

/// Something that waits for an answer, one at a time for a user.
protocol Waiting: Codable, Hashable, Sendable {
  var userId: UserID { get }
  /// Milliseconds since 1970.
  var expiresAt: Int64 { get }
}

extension SeatRequest: Waiting {}
extension SeatInvitation: Waiting {}

/// What waits, the oldest first, with at most one for a user.
struct WaitingList<Element: Waiting>: Codable, Hashable, Sendable {
  private(set) var all: [Element] = []

  var count: Int { all.count }
  /// When the next one ends by itself. All wait equally long, so it is the first.
  var deadline: Int64? { all.first?.expiresAt }
  var first: Element? { all.first }

  subscript(user: UserID) -> Element? { all.first { $0.userId == user } }

  mutating func append(_ element: Element) { all.append(element) }

  mutating func remove(_ user: UserID) -> Element? {
    guard let index = all.firstIndex(where: { $0.userId == user }) else { return nil }
    return all.remove(at: index)
  }
}
