import RoomProtocol

/// The options that the API sets when it creates or changes a room; nil means the server's default.
package struct RoomSettingsOptions: Codable, Sendable, Hashable {
  package var emptyTime: Duration?
  package var graceTime: Duration?
  /// Timeout of seat requests and of invitations to seats.
  package var requestTime: Duration?
  package var participants: Int?
  package var push: PushPolicy?
  package var pk: PKPicture?
  package var stage: StagePicture?
  package var audience: RoomAudience?
  package var host: Bool?
  package var watch: WatchPolicy?
  /// Rooms that never meet the room in a PK.
  package var pkApart: [RoomName]?

  /// - Parameter emptyTime: time that the room stays open while empty.
  package init(emptyTime: Duration? = nil) { self.emptyTime = emptyTime }
}
