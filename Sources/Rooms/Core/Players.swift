import RoomProtocol
import RoomRTP

// Players: participants whose tracks come from a file or a URL. A process of its own reads the source; a session paces what that sends.

/// A player of a room.
struct Player: Sendable {
  /// Distinguishes players that have had the same user id.
  let number: Int
  /// With the whole URL, which ``PlayerInfo`` does not show.
  let params: PlayerParams
  var info: PlayerInfo
  /// Whether the player waits at its position, also while its source is being opened.
  var isPaused: Bool
}

/// What the session of a player reports.
package enum PlayerReport: Sendable, Hashable {
  /// The source is open. The duration is in seconds.
  case opened(duration: Double?, isSeekable: Bool)
  /// The player is at a position in seconds.
  case moved(Double)
  /// The source is over.
  case finished
  /// The participant was removed from the room.
  case removed
  case failed(String)
}

extension RoomCore {
  /// Maximum number of players in a room.
  package static let maximumPlayers = 4

  /// The players, in the order of their user ids.
  package var playerList: [PlayerInfo] { players.values.map(\.info).sorted { $0.userId < $1.userId } }

  /// Performs a call about players.
  /// - Parameter caller: nil for the API.
  /// - Throws: 10003 without the `admin` grant; 80103 for an unknown player; 80201 at a limit; 80204 for invalid parameters.
  mutating func perform(_ call: PlayerCall, by caller: Participant?) throws(RoomError) -> any Codable & Sendable {
    if let caller, !caller.grants.contains(.admin) {
      throw RoomError(.noPermission, "players need the admin grant")
    }
    switch call {
    case .start(let params): return try startPlayer(params, by: caller?.user)
    case .change(let change): return try changePlayer(change)
    case .stop(let params):
      guard players[params.userId] != nil else { throw Self.noSuchPlayer(params.userId) }
      endPlayer(params.userId, .stopped)
      emit(.store)
      return Empty()
    }
  }

  private static func noSuchPlayer(_ user: UserID) -> RoomError {
    RoomError(.notInRoom, "the room has no player \"\(user.brief)\"")
  }

  private mutating func startPlayer(_ params: PlayerParams, by user: UserID?) throws(RoomError) -> PlayerInfo {
    if let error = params.validationError { throw RoomError(.cdnParameters, error) }
    if let refusal = settings.playerRefusal() { throw RoomError(.publishFailed, refusal) }
    guard players.count < Self.maximumPlayers else {
      throw RoomError(.publishFailed, "a room has at most \(Self.maximumPlayers) players")
    }
    let name = params.userId ?? freePlayerName()
    guard players[name] == nil, roster[name] == nil else {
      throw RoomError(.publishFailed, "userId: \"\(name.brief)\" is in the room already")
    }
    let info = beginPlayer(params, as: name, at: params.position ?? 0, by: user)
    emit(.store)
    return info
  }

  private func freePlayerName() -> UserID {
    var number = 1
    while players[UserID("player-\(number)")] != nil || roster[UserID("player-\(number)")] != nil { number += 1 }
    return UserID("player-\(number)")
  }

  private mutating func beginPlayer(
    _ params: PlayerParams, as name: UserID, at position: Double, duration: Double? = nil, by user: UserID?
  ) -> PlayerInfo {
    lastPlayer += 1
    let info = PlayerInfo(
      userId: name, url: params.url.map { String($0.prefix { $0 != "?" }).withoutCredentials }, upload: params.upload,
      position: position, at: now.unix, duration: duration, volume: params.volume ?? 1, loop: params.loop ?? false, by: user)
    let isPaused = params.paused ?? false
    players[name] = Player(number: lastPlayer, params: params, info: info, isPaused: isPaused)
    emit(
      .player(
        .start(
          PlayerPlan(
            user: name, number: lastPlayer, name: params.name, url: params.url, upload: params.upload, position: position,
            volume: info.volume, loop: info.loop, isPaused: isPaused))))
    log(.info, "player started", ["user": "\(name)", "source": "\(info.url ?? info.upload ?? "")"])
    broadcast(.playerChanged(info))
    return info
  }

  private mutating func changePlayer(_ change: PlayerChange) throws(RoomError) -> PlayerInfo {
    guard var player = players[change.userId] else { throw Self.noSuchPlayer(change.userId) }
    if let error = change.validationError { throw RoomError(.cdnParameters, error) }
    if change.position != nil, player.info.seekable == false {
      throw RoomError(.cdnParameters, "position: the source can't be sought")
    }
    (player.info.position, player.info.at) = (player.info.position(at: now.unix), now.unix)
    player.info.position = change.position ?? player.info.position
    player.info.volume = change.volume ?? player.info.volume
    player.info.loop = change.loop ?? player.info.loop
    player.isPaused = change.paused ?? player.isPaused
    if player.info.state != .opening { player.info.state = player.isPaused ? .paused : .playing }
    players[change.userId] = player
    emit(.player(.change(change)))
    broadcast(.playerChanged(player.info))
    emit(.store)
    return player.info
  }

  /// Handles a report of a player's session.
  package mutating func playerReported(_ report: PlayerReport, of user: UserID, _ number: Int) {
    guard !isClosed, var player = players[user], player.number == number else { return }
    switch report {
    case .opened(let duration, let isSeekable):
      (player.info.duration, player.info.seekable) = (duration, isSeekable)
      player.info.state = player.isPaused ? .paused : .playing
      player.info.at = now.unix
    case .moved(let position): (player.info.position, player.info.at) = (position, now.unix)
    case .finished: return endPlayer(user, .finished)
    case .removed: return endPlayer(user, .stopped)
    case .failed(let reason): return endPlayer(user, .failed, reason)
    }
    players[user] = player
    broadcast(.playerChanged(player.info))
  }

  mutating func endPlayer(_ user: UserID, _ reason: PlayerEndReason, _ message: String? = nil) {
    guard players.removeValue(forKey: user) != nil else { return }
    emit(.player(.stop(user)))
    let data = PlayerEndedData(userId: user, reason: reason, message: message)
    emit(.report(.playerEnded, data))
    log(reason == .failed ? .notice : .info, "player ended", ["user": "\(user)", "reason": "\(message ?? reason.rawValue)"])
    broadcast(.playerEnded(data))
    emit(.store)
  }

  // MARK: Storing

  var storedPlayers: [StoredPlayer]? {
    players.isEmpty
      ? nil
      : players.values.sorted { $0.number < $1.number }.map { player in
        var params = player.params
        (params.userId, params.position) = (player.info.userId, player.info.position)
        (params.volume, params.loop, params.paused) = (player.info.volume, player.info.loop, player.isPaused)
        return StoredPlayer(params: params, at: player.info.at, duration: player.info.duration, by: player.info.by)
      }
  }

  /// Starts a stored player, at the position that it would have now.
  mutating func restore(_ stored: StoredPlayer) {
    guard let name = stored.params.userId, players[name] == nil, players.count < Self.maximumPlayers else { return }
    let isPaused = stored.params.paused ?? false
    let info = PlayerInfo(
      userId: name, state: isPaused ? .paused : .playing, position: stored.params.position ?? 0, at: stored.at,
      duration: stored.duration, loop: stored.params.loop ?? false)
    _ = beginPlayer(
      stored.params, as: name, at: info.position(at: now.unix), duration: stored.duration, by: stored.by)
  }
}

extension String {
  /// A URL without the user and the password that precede its host (RFC 3986 §3.2.1).
  fileprivate var withoutCredentials: String {
    guard let authority = range(of: "://")?.upperBound else { return self }
    let end = self[authority...].firstIndex(of: "/") ?? endIndex
    guard let at = self[authority..<end].lastIndex(of: "@") else { return self }
    return String(self[..<authority] + self[index(after: at)...])
  }
}
