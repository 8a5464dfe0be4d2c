import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

extension LiveKit.Room {
  /// The attribute of a room that is its metadata.
  static let metadataAttribute = "metadata"

  /// Describes a room for an app's server.
  /// - Parameter foreignName: the app's name of it, if it is known.
  init(_ room: RoomSummary, _ foreignName: ForeignName? = nil) {
    self.init {
      $0.sid = LiveKitID.room(room.name, createdAt: room.createdAt)
      $0.name = foreignName?.text ?? room.name.foreignName
      $0.creationTime = room.createdAt / 1000
      $0.creationTimeMilliseconds = room.createdAt
      $0.metadata = room.metadata
      // One time for both: how long a room without participants stays open.
      $0.emptyTimeout = UInt32(clamping: room.emptyTime)
      $0.departureTimeout = $0.emptyTimeout
      $0.maxParticipants = UInt32(clamping: room.capacity)
      $0.numParticipants = UInt32(clamping: room.users.count)
      $0.numPublishers = UInt32(clamping: room.publishers)
      $0.activeRecording = room.jobs.contains { $0.target?.hasPrefix("file:") == true }
    }
  }
}
