/// The calls that control players; they need the `admin` grant.
public enum PlayerCall: Sendable, Hashable {
  /// Starts a player. The result is its ``PlayerInfo``.
  case start(PlayerParams)
  /// Pauses, resumes or seeks a player, or sets its volume or whether it loops. The result is its ``PlayerInfo``.
  case change(PlayerChange)
  /// Stops a player.
  case stop(UserParams)
}

/// The parameters that start a player. Exactly one of `url` and `upload` is set.
public struct PlayerParams: Codable, Sendable, Hashable {
  /// The longest URL in bytes.
  public static let longestURL = 2048
  /// The schemes of URLs that are played.
  public static let schemes = ["http", "https", "rtmp", "rtmps", "srt", "rtsp"]
  /// The largest volume.
  public static let loudest = 4.0

  /// The participant's user id; nil for a new one.
  public var userId: UserID?
  /// The URL of a file or a live stream.
  public var url: String?
  /// The id of an uploaded file.
  public var upload: String?
  /// The name that the participant shows; nil for none.
  public var name: String?
  /// The position in seconds at which to begin; nil for the start.
  public var position: Double?
  /// The volume, 0...4; nil for 1, that of the source.
  public var volume: Double?
  /// Whether the source starts again at its end; nil for no.
  public var loop: Bool?
  /// Whether the player waits at its position; nil for no.
  public var paused: Bool?

  /// Creates the parameters.
  public init(
    userId: UserID? = nil, url: String? = nil, upload: String? = nil, name: String? = nil, position: Double? = nil,
    volume: Double? = nil, loop: Bool? = nil, paused: Bool? = nil
  ) {
    self.userId = userId
    self.url = url
    self.upload = upload
    self.name = name
    self.position = position
    self.volume = volume
    self.loop = loop
    self.paused = paused
  }

  /// What is invalid, naming the field; nil if everything is valid.
  public var validationError: String? {
    if (url == nil) == (upload == nil) { return "url, upload: exactly one of both" }
    if let url {
      let scheme = url.split(separator: ":", maxSplits: 1).first.map { $0.lowercased() } ?? ""
      guard Self.schemes.contains(scheme), url.dropFirst(scheme.count).hasPrefix("://"), url.utf8.count <= Self.longestURL,
        url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        return "url: \(Self.schemes.joined(separator: ", ")) with at most \(Self.longestURL) characters of ASCII"
      }
    }
    if let upload, upload.utf8.count > 128 { return "upload: at most 128 bytes" }
    if let name, name.utf8.count > 256 { return "name: at most 256 bytes" }
    if let userId, !NameRule.allows(userId) { return "userId: \(NameRule.text)" }
    return Self.error(position: position, volume: volume)
  }

  static func error(position: Double?, volume: Double?) -> String? {
    if let position, !(0...1e7).contains(position) { return "position: 0 to 10,000,000 seconds" }
    if let volume, !(0...loudest).contains(volume) { return "volume: 0 to 4" }
    return nil
  }
}

/// What to change about a player. A nil value stays unchanged.
public struct PlayerChange: Codable, Sendable, Hashable {
  /// The player's user id.
  public var userId: UserID
  /// Whether the player waits at its position.
  public var paused: Bool?
  /// The position in seconds to continue at: the player moves to the last key frame at or before it.
  public var position: Double?
  /// The volume, 0...4.
  public var volume: Double?
  /// Whether the source starts again at its end.
  public var loop: Bool?

  /// Creates the change.
  public init(
    userId: UserID, paused: Bool? = nil, position: Double? = nil, volume: Double? = nil, loop: Bool? = nil
  ) {
    self.userId = userId
    self.paused = paused
    self.position = position
    self.volume = volume
    self.loop = loop
  }

  /// What is invalid, naming the field; nil if everything is valid.
  public var validationError: String? { PlayerParams.error(position: position, volume: volume) }
}

extension PlayerCall: NestedCall {
  /// The method's name on the wire.
  public var method: String {
    switch self {
    case .start: "startPlayer"
    case .change: "changePlayer"
    case .stop: "stopPlayer"
    }
  }

  init?(method: String, params: CallParams) throws {
    switch method {
    case "startPlayer": self = .start(try params.read())
    case "changePlayer": self = .change(try params.read())
    case "stopPlayer": self = .stop(try params.read())
    default: return nil
    }
  }

  var params: (any Encodable)? {
    switch self {
    case .start(let params): params
    case .change(let params): params
    case .stop(let params): params
    }
  }
}
