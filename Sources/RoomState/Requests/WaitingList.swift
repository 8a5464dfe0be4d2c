import RoomProtocol

/// A pending request or invitation; at most one per user.
protocol Waiting: Codable, Hashable, Sendable {
  var userId: UserID { get }
  /// Milliseconds since 1970.
  var expiresAt: Int64 { get }
}

extension SeatRequest: Waiting {}
extension SeatInvitation: Waiting {}

/// Pending elements, oldest first, with at most one per user.
struct WaitingList<Element: Waiting>: Codable, Hashable, Sendable {
  private(set) var all: [Element] = []

  var count: Int { all.count }
  /// When the next element expires. All have the same timeout, so it is the first.
  var deadline: Int64? { all.first?.expiresAt }
  var first: Element? { all.first }

  subscript(user: UserID) -> Element? { all.first { $0.userId == user } }

  mutating func append(_ element: Element) { all.append(element) }

  mutating func remove(_ user: UserID) -> Element? {
    guard let index = all.firstIndex(where: { $0.userId == user }) else { return nil }
    return all.remove(at: index)
  }
}
