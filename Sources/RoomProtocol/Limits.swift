/// Bounds that both ends know; the server sends its own values in the join answer.
public struct RoomLimits: Codable, Sendable, Hashable {
  /// Bytes of one signalling message: 65,536 of an app's own JSON, each of which may take up to three where it stands in a text.
  public var messageBytes = 256 * 1024
  public var tracksPerParticipant = 16
  public var participantsPerRoom = 1000
  /// Messages that newcomers get.
  public var historyMessages = 50
  /// Bytes of text and data in them.
  public var historyBytes = 128 * 1024
  public init() {}
}
