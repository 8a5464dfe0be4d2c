import Foundation
import RoomProtocol

/// A signed grant to join one room as one user (behaviour.md §2): a JWT, HS256, `kid` names the API key.
public struct RoomToken: Sendable, Hashable {
  public var room: RoomName
  public var user: UserID
  public var grants: Grants
  public var expires: Date
  public var notBefore: Date?
  /// Names this token, so that it can be revoked: `jti`, or what stands in for it in a token without one.
  public var id: String
  /// Of an anchor who comes for a PK and goes home after it: which one.
  public var pk: PKID?

  public init(
    room: RoomName, user: UserID, grants: Grants, expires: Date, notBefore: Date? = nil, id: String = UUID().uuidString,
    pk: PKID? = nil
  ) {
    self.pk = pk
    self.room = room
    self.user = user
    self.grants = grants
    self.expires = expires
    self.notBefore = notBefore
    self.id = id
  }
}

/// A signed grant to use the REST API: a JWT, HS256, with `kid` and `iss` the API key and `"api": true`.
public struct APIToken: Sendable, Hashable {
  /// The API key that signed it.
  public var key: String
  public var expires: Date
  public var notBefore: Date?

  public init(key: String, expires: Date, notBefore: Date? = nil) {
    self.key = key
    self.expires = expires
    self.notBefore = notBefore
  }
}
