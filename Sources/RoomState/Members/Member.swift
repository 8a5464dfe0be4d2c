import RoomProtocol

/// A user that is in the room. Stores keep it as it is encoded.
public struct Member: Codable, Hashable, Sendable {
  var grants: Grants
  /// False while its connection is lost and it has time to come back.
  var connected = true
  /// The PK in which it is the other room's anchor.
  var guestOf: PKID?
  var pace = MessagePace()

  var isHidden: Bool { grants.contains(.hidden) }
}

/// Who makes a call.
public enum Caller: Hashable, Sendable {
  /// The app's own server, which may do all that a user with all grants may, but has no seat.
  case api
  case user(UserID)

  /// As it is told: empty for the API.
  var told: UserID {
    switch self {
    case .api: ""
    case .user(let user): user
    }
  }
}
