import RoomProtocol
import Foundation
import RoomToken

/// The tokens of kicked users: dead until they expire.
package struct KickedTokens: Sendable {
  private struct Entry: Hashable {
    var room: RoomName
    var user: UserID
    var id: String
  }

  private var dead: ExpiryTable<Entry>

  package init(capacity: Int) { dead = ExpiryTable(capacity: capacity) }

  package var count: Int { dead.count }

  /// - Returns: false if another had to be forgotten for it: the one that expires first.
  package mutating func insert(_ token: RoomToken, now: Date = Date()) -> Bool {
    dead.insert(Entry(room: token.room, user: token.user, id: token.id), until: token.expires, now: now)
  }

  /// Takes up those of before the server's end.
  package mutating func restore(_ kicks: [StoredKick], now: Date = Date()) {
    for kick in kicks {
      _ = dead.insert(Entry(room: kick.room, user: kick.user, id: kick.token), until: kick.expires, now: now)
    }
  }

  package func contains(_ token: RoomToken) -> Bool {
    dead.contains(Entry(room: token.room, user: token.user, id: token.id))
  }
}
