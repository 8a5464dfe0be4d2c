import Foundation
import RoomProtocol

/// A signed grant to join one room as one user (behaviour.md §2): a JWT with HS256, where `kid` names the API key.
public struct RoomToken: Sendable, Hashable {
  public var room: RoomName
  public var user: UserID
  public var grants: Grants
  public var expires: Date
  public var notBefore: Date?
  /// Identifies this token, so that it can be revoked: `jti`, or a substitute if the token has none.
  public var id: String
  /// The PK that an anchor of another room joins for; it returns to its own room afterwards.
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

/// A signed grant to use the REST API: a JWT with HS256, the API key as `kid` and `iss`, and `"api": true`.
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

/// A signed grant to read one recording without an API token, as the URL of a player has it.
public struct RecordingToken: Sendable, Hashable {
  /// The API key that signed it.
  public var key: String
  /// The name of the recording.
  public var recording: String
  public var expires: Date

  public init(key: String, recording: String, expires: Date) {
    self.key = key
    self.recording = recording
    self.expires = expires
  }
}
