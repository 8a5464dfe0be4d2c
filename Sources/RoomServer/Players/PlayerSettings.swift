import RoomRelay

/// The settings of players.
public struct PlayerSettings: Sendable {
  /// Maximum number of players on the server; 0 for none.
  public var limit = 16
  /// The networks whose files and streams may be played, as ``RelayTargets`` reads them: by address, because a host that a user names may
  /// lead to any, and redirect to any other.
  public private(set) var networks = ["public"]
  /// Threads that pace and convert.
  var threads = 1
  /// The path of the program whose command `read-media` reads sources.
  public var program = "/proc/self/exe"

  /// Creates the default settings.
  public init() {}

  /// Sets the networks whose files and streams may be played.
  /// - Throws: ``RelayTargetError`` with the first text that is neither `public` nor a network such as `10.0.0.0/8`.
  public mutating func setNetworks(_ texts: [String]) throws(RelayTargetError) {
    for (text, rule) in zip(texts, try RelayTargets(parsing: texts).rules) {
      switch rule {
      case .publicHosts, .network: continue
      case .host, .suffix: throw .unreadable(text)
      }
    }
    networks = texts
  }
}
