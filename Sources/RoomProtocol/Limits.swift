/// Limits of the protocol. The server sends its own values in the join answer.
public struct RoomLimits: Codable, Sendable, Hashable {
  /// The largest signalling message, in bytes. The message fits 65,536 bytes of an app's own JSON, of which escaping may triple
  /// each.
  public var messageBytes = 256 * 1024
  /// The number of tracks that one participant may publish.
  public var tracksPerParticipant = 16
  /// The number of participants that one room may have.
  public var participantsPerRoom = 1000
  /// The number of messages that a new participant receives.
  public var historyMessages = 50
  /// The total size of those messages' text, type and data, in bytes.
  public var historyBytes = 128 * 1024
  /// Creates the default limits.
  public init() {}
}
