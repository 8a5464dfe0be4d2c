import RoomProtocol

/// A user in the room. Stores keep it in its encoded form.
public struct Member: Codable, Hashable, Sendable {
  var grants: Grants
  /// False while its connection is lost and it may still reconnect.
  var connected = true
  /// The PK that it joined as the other room's anchor.
  var guestOf: PKID?
  var pace = MessageRateLimit()
  /// What the server API permits; nil for what its token does.
  var permissions: Permissions?

  var isHidden: Bool { grants.contains(.hidden) }
}

/// The originator of a call.
public enum Caller: Hashable, Sendable {
  /// The app's own server, which has all grants but can't have a seat.
  case api
  case user(UserID)

  /// The user id in events; empty for the API.
  var eventUserID: UserID {
    switch self {
    case .api: ""
    case .user(let user): user
    }
  }
}
