/// The user that a call is about.
public struct UserParams: Codable, Sendable, Hashable {
  public var userId: UserID
  public init(userId: UserID) { self.userId = userId }
}
