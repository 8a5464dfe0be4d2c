import RoomProtocol
import Foundation
import RoomToken

extension StoredKick {
  package init(_ token: RoomToken) {
    self.init(room: token.room, user: token.user, token: token.id, expires: token.expires)
  }
}

/// The tokens of kicked users, revoked until they expire. A kick that names no token revokes the user's older ones
/// (``StoredKick/init(of:in:issuedUpTo:)``).
package struct KickedTokens: Sendable {
  private struct Entry: Hashable {
    var room: RoomName
    var user: UserID
    var id: String
  }

  private var dead: ExpiryTable<Entry>

  package init(capacity: Int) { dead = ExpiryTable(capacity: capacity) }

  package var count: Int { dead.count }

  /// Revokes tokens.
  /// - Returns: false if another entry, the one that expires first, was dropped for it.
  package mutating func insert(_ kick: StoredKick, now: Date = Date()) -> Bool {
    dead.insert(Entry(room: kick.room, user: kick.user, id: kick.token), until: kick.expires, now: now)
  }

  /// Restores the tokens that were stored before the server stopped.
  package mutating func restore(_ kicks: [StoredKick], now: Date = Date()) {
    for kick in kicks { _ = insert(kick, now: now) }
  }

  package func contains(_ token: RoomToken) -> Bool {
    if dead.contains(Entry(room: token.room, user: token.user, id: token.id)) { return true }
    guard let end = dead.expiry(of: Entry(room: token.room, user: token.user, id: "")) else { return false }
    // A token that does not say since when it is valid may be an older one.
    return (token.notBefore ?? .distantPast) <= end - StoredKick.revocationTime
  }
}
