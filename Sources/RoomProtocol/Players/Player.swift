/// A player: a participant whose tracks come from a file or a URL.
public struct PlayerInfo: Codable, Sendable, Hashable {
  /// The participant's user id, which names the player.
  public var userId: UserID
  /// The URL without its query, which may contain a secret; nil for an upload.
  public var url: String?
  /// The id of the uploaded file; nil for a URL.
  public var upload: String?
  /// What the player does.
  public var state: PlayerState
  /// The position in seconds at ``at``.
  public var position: Double
  /// The time of the position in milliseconds since 1970. While the player plays, the position grows with the time.
  public var at: Int64
  /// The length in seconds; nil while it is not known, and for a live stream.
  public var duration: Double?
  /// Whether the position can be set; nil while that is not known.
  public var seekable: Bool?
  /// The volume: 1 is that of the source.
  public var volume: Double
  /// Whether the source starts again at its end.
  public var loop: Bool
  /// The user that started the player; nil for the API.
  public var by: UserID?

  /// Creates the description of a player.
  public init(
    userId: UserID, url: String? = nil, upload: String? = nil, state: PlayerState = .opening, position: Double = 0, at: Int64,
    duration: Double? = nil, seekable: Bool? = nil, volume: Double = 1, loop: Bool = false, by: UserID? = nil
  ) {
    self.userId = userId
    self.url = url
    self.upload = upload
    self.state = state
    self.position = position
    self.at = at
    self.duration = duration
    self.seekable = seekable
    self.volume = volume
    self.loop = loop
    self.by = by
  }

  /// The position in seconds at a time in milliseconds since 1970.
  public func position(at time: Int64) -> Double {
    guard state == .playing, time > at else { return position }
    let advanced = position + Double(time - at) / 1000
    guard let duration, duration > 0, advanced > duration else { return advanced }
    return loop ? advanced.truncatingRemainder(dividingBy: duration) : duration
  }
}

/// What a player does.
public struct PlayerState: OpenEnumeration {
  /// The text on the wire.
  public let rawValue: String
  /// Creates a state from its text; any text is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The source is being opened.
  public static let opening = Self(rawValue: "opening")
  /// The source plays.
  public static let playing = Self(rawValue: "playing")
  /// The player waits at its position.
  public static let paused = Self(rawValue: "paused")
}

/// Why a player ended.
public struct PlayerEndReason: OpenEnumeration {
  /// The text on the wire.
  public let rawValue: String
  /// Creates a reason from its text; any text is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The source is over.
  public static let finished = Self(rawValue: "finished")
  /// A call has stopped the player, or the participant was kicked.
  public static let stopped = Self(rawValue: "stopped")
  /// The source can't be read, or can't be played further.
  public static let failed = Self(rawValue: "failed")
}

/// The data of the event that a player ended.
public struct PlayerEndedData: Codable, Sendable, Hashable {
  /// The player's user id.
  public var userId: UserID
  /// Why it ended.
  public var reason: PlayerEndReason
  /// What failed, in a sentence; nil for other reasons.
  public var message: String?

  /// Creates the data.
  public init(userId: UserID, reason: PlayerEndReason, message: String? = nil) {
    self.userId = userId
    self.reason = reason
    self.message = message
  }
}
