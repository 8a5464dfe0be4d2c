import RoomProtocol
import Foundation
import RoomToken

/// The tokens of kicked users, revoked until they expire.
package struct KickedTokens: Sendable {
  private struct Entry: Hashable {
    var room: RoomName
    var user: UserID
    var id: String
  }

  private var dead: ExpiryTable<Entry>

  package init(capacity: Int) { dead = ExpiryTable(capacity: capacity) }

  package var count: Int { dead.count }

  /// Revokes a token.
  /// - Returns: false if another token, the one that expires first, was dropped for it.
  package mutating func insert(_ token: RoomToken, now: Date = Date()) -> Bool {
    dead.insert(Entry(room: token.room, user: token.user, id: token.id), until: token.expires, now: now)
  }

  /// Restores the tokens that were stored before the server stopped.
  package mutating func restore(_ kicks: [StoredKick], now: Date = Date()) {
    for kick in kicks {
      _ = dead.insert(Entry(room: kick.room, user: kick.user, id: kick.token), until: kick.expires, now: now)
    }
  }

  package func contains(_ token: RoomToken) -> Bool {
    dead.contains(Entry(room: token.room, user: token.user, id: token.id))
  }
}
