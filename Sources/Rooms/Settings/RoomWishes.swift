import RoomProtocol

/// The options that the API sets when it creates or changes a room; nil means the server's default.
package struct RoomWishes: Codable, Sendable, Hashable {
  package var emptyTime: Duration?
  package var graceTime: Duration?
  /// How long requests for seats, and invitations to them, wait.
  package var requestTime: Duration?
  package var participants: Int?
  package var push: PushPolicy?
  package var pk: PKPicture?
  package var stage: StagePicture?
  package var audience: RoomAudience?
  package var host: Bool?

  /// - Parameter emptyTime: how long the room stays open with nobody in it.
  package init(emptyTime: Duration? = nil) { self.emptyTime = emptyTime }
}
