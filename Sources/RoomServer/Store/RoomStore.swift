import RoomProtocol
import Foundation

/// Where a server keeps what has to outlive it, however it ends: rooms, their images, the tokens of kicked users, and since when
/// each broadcast is on.
protocol RoomStore: Sendable {
  /// All that is kept.
  func load() async throws -> StoredServer
  /// Carries out all of it in order, or nothing. Returns once it is on disk.
  func write(_ changes: [StoreChange]) async throws
  /// Nothing is read or written any more.
  func close() async
}

/// What a store keeps.
struct StoredServer: Sendable {
  /// By name.
  var rooms: [RoomName: StoredRoom] = [:]
  /// Files, by room and by name.
  var images: [RoomName: [String: [UInt8]]] = [:]
  var kicked: [StoredKick] = []
  /// Milliseconds since 1970 at which a broadcast's timeline is 0, by what names the broadcast.
  var broadcasts: [String: Int64] = [:]
  /// Rooms that were set aside before, because they could not be read.
  var setAside: [RoomName] = []
  /// Rooms that can't be read and are set aside now, with the reason.
  var unreadable: [RoomName: String] = [:]
}

/// A kicked user's token, which is dead until it expires.
struct StoredKick: Sendable {
  var room: RoomName
  var user: UserID
  var token: String
  var expires: Date
}

/// One thing that is not as it was stored any more.
enum StoreChange: Sendable {
  case room(name: RoomName, Data)
  /// With its images.
  case roomGone(RoomName)
  /// The file is nil where the image is gone.
  case image(room: RoomName, name: String, [UInt8]?)
  case kicked(StoredKick)
  /// The time is nil where the broadcast is over.
  case broadcast(String, begun: Int64?)
}
