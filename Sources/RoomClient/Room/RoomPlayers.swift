import RoomProtocol

/// The players of a room: participants whose tracks come from a file or a URL, which the server reads.
///
/// ```swift
/// let film = try await room.players.start(PlayerParams(url: "https://media.example/film.mp4", loop: true))
/// try await room.players.change(PlayerChange(userId: film.userId, position: 90))
/// ```
///
/// Every call needs the `admin` grant. The call throws `RoomError` if the server rejects it, and ``RoomClientError`` if the
/// server cannot be reached. The events ``RoomEvent/playerChanged(_:)`` and ``RoomEvent/playerEnded(_:)`` report the progress.
public struct RoomPlayers: Sendable {
  let session: RoomSession

  /// The players of the room.
  public var all: [PlayerInfo] { session.store.value.room?.players ?? [] }

  /// The player with this user id; nil if it does not play.
  public subscript(userId: UserID) -> PlayerInfo? { all.first { $0.userId == userId } }

  /// Starts a player. The player's tracks are published once the server has opened the source.
  /// - Throws: `RoomError` 80204 naming the invalid field; 80201 at a limit, or if the user id is in the room; 10003 without the grant.
  @discardableResult public func start(_ player: PlayerParams) async throws -> PlayerInfo {
    try await session.request(.players(.start(player)), for: PlayerInfo.self)
  }

  /// Pauses, resumes or seeks a player, or sets its volume or whether it loops.
  /// - Throws: `RoomError` 80103 if there is no such player; 80204 naming the invalid field; 10003 without the grant.
  @discardableResult public func change(_ change: PlayerChange) async throws -> PlayerInfo {
    try await session.request(.players(.change(change)), for: PlayerInfo.self)
  }

  /// Stops a player. The player's participant leaves the room.
  /// - Throws: `RoomError` 80103 if there is no such player; 10003 without the grant.
  public func stop(_ userId: UserID) async throws {
    let _: Empty = try await session.request(.players(.stop(UserParams(userId: userId))))
  }
}
