import RoomProtocol

/// Bounds of the control plane. What is over a limit is refused with a code and a sentence, and counted in
/// `roomserver_limits_hit_total`.
public struct ServerLimits: Sendable, Hashable {
  public var rooms = 1000
  public var participantsPerRoom = 1000
  public var tracksPerParticipant = 16
  /// Bytes of one signalling message.
  public var messageBytes = RoomLimits().messageBytes
  /// Bytes of one HTTP body, images apart.
  public var bodyBytes = 64 * 1024
  /// Joins allowed from one address, a second, after the burst.
  public var joinsPerSecond = 20.0
  public var joinBurst = 100
  /// Addresses whose joins are counted at once; the longest quiet one is forgotten first.
  public var joinAddresses = 10_000
  /// Signalling messages of one socket, a second, after the burst; more are read later, not refused.
  public var messagesPerSecond = 100.0
  public var messageBurst = 300
  /// Bytes on their way to one signalling socket; a client that reads more slowly is closed.
  public var outgoingBytes = 4 * 1024 * 1024
  /// HTTP connections and signalling sockets at once.
  public var connections = 4000
  /// Kicked tokens remembered until they expire.
  public var kickedTokens = 100_000

  public init() {}

  /// What clients are told of these.
  var told: RoomLimits {
    var limits = RoomLimits()
    limits.messageBytes = messageBytes
    limits.tracksPerParticipant = tracksPerParticipant
    limits.participantsPerRoom = participantsPerRoom
    return limits
  }
}
