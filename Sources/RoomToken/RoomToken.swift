import Foundation
import JWTKit
import RoomProtocol

/// A signed grant to join one room as one user (behaviour.md §2): a JWT, HS256, `kid` names the API key.
public struct RoomToken: Sendable, Hashable {
  public var room: String
  public var user: String
  public var grants: Grants
  public var expires: Date
  public var notBefore: Date?
  public var id: String

  public init(
    room: String, user: String, grants: Grants, expires: Date, notBefore: Date? = nil, id: String = UUID().uuidString
  ) {
    self.room = room
    self.user = user
    self.grants = grants
    self.expires = expires
    self.notBefore = notBefore
    self.id = id
  }
}
