import Foundation
import RoomToken

/// The tokens of kicked users: dead until they expire.
struct KickedTokens: Sendable {
  private struct Entry: Hashable {
    var room: String
    var user: String
    var id: String
  }

  let capacity: Int
  private var dead: [Entry: Date] = [:]

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { dead.count }

  /// - Returns: false where another had to be forgotten for it: the one that expires first.
  mutating func insert(_ token: RoomToken, now: Date = Date()) -> Bool {
    insert(Entry(room: token.room, user: token.user, id: token.id), until: token.expires, now: now)
  }

  /// Of before the server's end.
  mutating func restore(_ kicks: [StoredKick], now: Date = Date()) {
    for kick in kicks { _ = insert(Entry(room: kick.room, user: kick.user, id: kick.token), until: kick.expires, now: now) }
  }

  private mutating func insert(_ entry: Entry, until expires: Date, now: Date) -> Bool {
    var forgot = false
    if dead.count >= capacity {
      dead = dead.filter { $0.value > now }
      if dead.count >= capacity, let first = dead.min(by: { $0.value < $1.value }) {
        dead[first.key] = nil
        forgot = true
      }
    }
    dead[entry] = expires
    return !forgot
  }

  func contains(_ token: RoomToken) -> Bool {
    dead[Entry(room: token.room, user: token.user, id: token.id)] != nil
  }
}
