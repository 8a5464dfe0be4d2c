/// The parameters of a call that concerns one user.
public struct UserParams: Codable, Sendable, Hashable {
  /// The user's id.
  public var userId: UserID
  /// Creates the parameters.
  public init(userId: UserID) { self.userId = userId }
}
