import RoomProtocol

/// The recipients of a change.
public enum Audience: Codable, Hashable, Sendable {
  case everyone
  case users([UserID])
  /// The users with the `admin` grant.
  case admins
}
