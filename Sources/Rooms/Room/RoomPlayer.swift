import RoomProtocol

/// What the rooms of a server play files and URLs with.
package protocol RoomPlayers: AnyObject, Sendable {
  /// Why no player can be started now; nil if one can.
  var refusal: String? { get }
  /// Starts a session, which joins the room once its source is open.
  func start(_ plan: PlayerPlan, in room: Room) -> any RoomPlayer
}

/// The session of a player.
package protocol RoomPlayer: AnyObject, Sendable {
  func change(_ change: PlayerChange)
  /// Ends the session. The session's participant leaves the room.
  func stop()
}
