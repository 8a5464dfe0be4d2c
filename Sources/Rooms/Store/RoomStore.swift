import RoomProtocol
import Foundation

/// Where a server keeps what has to outlive it, however it ends: rooms, their images, the tokens of kicked users, and since when
/// each broadcast is on.
package protocol RoomStore: Sendable {
  /// All that is kept.
  func load() async throws -> StoredServer
  /// Carries out all of it in order, or nothing. Returns once it is on disk.
  func write(_ changes: [StoreChange]) async throws
  /// Nothing is read or written any more.
  func close() async
}

/// A room whose state is read when it is written.
package protocol StoredSource: Sendable {
  var name: RoomName { get }
  /// What the store lacks; nil if there is nothing to store any more.
  func takeStored() async -> StoredRoomChange?
  /// The store lost what it was given: the next change is the whole room.
  func forgetStored() async
}

/// What a store keeps.
package struct StoredServer: Sendable {
  /// By name.
  package var rooms: [RoomName: StoredRoom] = [:]
  /// Files, by room and by name.
  package var images: [RoomName: [String: [UInt8]]] = [:]
  package var kicked: [StoredKick] = []
  /// Milliseconds since 1970 at which a broadcast's timeline is 0, by what names the broadcast.
  package var broadcasts: [String: Int64] = [:]
  /// Rooms that were set aside before, because they could not be read.
  package var setAside: [RoomName] = []
  /// Rooms that can't be read and are set aside now, with the reason.
  package var unreadable: [RoomName: String] = [:]

  package init() {}
}

/// A kicked user's token, which is dead until it expires.
package struct StoredKick: Sendable {
  package var room: RoomName
  package var user: UserID
  package var token: String
  package var expires: Date

  package init(room: RoomName, user: UserID, token: String, expires: Date) {
    self.room = room
    self.user = user
    self.token = token
    self.expires = expires
  }
}

/// One thing that is not as it was stored any more.
package enum StoreChange: Sendable {
  case room(name: RoomName, RoomRecord)
  /// With its images.
  case roomGone(RoomName)
  /// The file is nil where the image is gone.
  case image(room: RoomName, name: String, [UInt8]?)
  case kicked(StoredKick)
  /// The time is nil where the broadcast is over.
  case broadcast(String, begun: Int64?)
}

/// A room as it is written: each member apart, because a large room changes one member at a time.
package struct RoomRecord: Sendable {
  /// The room without its members, encoded; nil if it is as it is stored.
  package var room: Data?
  /// Members that changed, encoded; nil for those that left.
  package var members: [UserID: Data?]
  /// Whether `members` are all: others that are stored are removed.
  package var isWhole: Bool

  package init(room: Data?, members: [UserID: Data?] = [:], isWhole: Bool = true) {
    self.room = room
    self.members = members
    self.isWhole = isWhole
  }

  var bytes: Int { members.values.reduce(room?.count ?? 0) { $0 + ($1?.count ?? 0) } }
}
