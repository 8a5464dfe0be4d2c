import RoomProtocol
import Foundation

/// Persistent storage that survives the server, however it ends: rooms, their images, the tokens of kicked users, and the start
/// time of each broadcast.
package protocol RoomStore: Sendable {
  /// Loads everything.
  func load() async throws -> StoredServer
  /// Writes the changes atomically and in order. Returns once they are on disk.
  func write(_ changes: [StoreChange]) async throws
  /// Closes the store. The store must not be used afterwards.
  func close() async
}

/// A room whose state is read when it is written.
package protocol StoredSource: Sendable {
  var name: RoomName { get }
  /// Returns the changes since the last call; nil if there is nothing left to store.
  func takeStored() async -> StoredRoomChange?
  /// Records that the store lost the room: the next change contains all of it.
  func forgetStored() async
}

/// The content of a store.
package struct StoredServer: Sendable {
  /// Rooms by name.
  package var rooms: [RoomName: StoredRoom] = [:]
  /// Image files, by room and by name.
  package var images: [RoomName: [String: [UInt8]]] = [:]
  package var kicked: [StoredKick] = []
  /// Start times of the broadcasts' timelines, by broadcast key; milliseconds since 1970.
  package var broadcasts: [String: Int64] = [:]
  /// Unreadable rooms that were set aside at an earlier start.
  package var setAside: [RoomName] = []
  /// Unreadable rooms that are set aside at this start, with the reason.
  package var unreadable: [RoomName: String] = [:]

  package init() {}
}

/// A kicked user's token, revoked until it expires.
package struct StoredKick: Sendable, Codable, Hashable {
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

  /// How long a revocation of all older tokens of a user lasts, in seconds: seven days.
  package static let revocationTime: Double = 7 * 86_400

  /// Revokes all tokens of a user that are valid since a time or longer: it names no token.
  package init(of user: UserID, in room: RoomName, issuedUpTo time: Date) {
    self.init(room: room, user: user, token: "", expires: time + Self.revocationTime)
  }
}

/// A change to write.
package enum StoreChange: Sendable {
  case room(name: RoomName, RoomRecord)
  /// The room is removed with its images.
  case roomGone(RoomName)
  /// The file is nil if the image was removed.
  case image(room: RoomName, name: String, [UInt8]?)
  case kicked(StoredKick)
  /// The time is nil if the broadcast has ended.
  case broadcast(String, begun: Int64?)
}

/// The stored form of a room. Members are separate records, because changes in a large room concern one member at a time.
package struct RoomRecord: Sendable {
  /// The encoded room without its members; nil if it has not changed.
  package var room: Data?
  /// Members that changed, encoded; nil for those that left.
  package var members: [UserID: Data?]
  /// Whether `members` contains all members: other stored ones are removed.
  package var isWhole: Bool

  package init(room: Data?, members: [UserID: Data?] = [:], isWhole: Bool = true) {
    self.room = room
    self.members = members
    self.isWhole = isWhole
  }

  var bytes: Int { members.values.reduce(room?.count ?? 0) { $0 + ($1?.count ?? 0) } }
}
