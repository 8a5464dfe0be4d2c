import RoomProtocol

/// What the session of a player is to play.
package struct PlayerPlan: Sendable, Hashable {
  package var user: UserID
  package var number: Int
  package var name: String?
  package var url: String?
  package var upload: String?
  /// Seconds.
  package var position: Double
  package var volume: Double
  package var loop: Bool
  package var isPaused: Bool
}

/// A command to the session of a player.
enum PlayerOrder: Sendable {
  case start(PlayerPlan)
  case change(PlayerChange)
  case stop(UserID)
}
