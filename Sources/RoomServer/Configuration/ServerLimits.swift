import RoomProtocol
import Rooms

/// Bounds of the control plane. What is over a limit is refused with a code and a sentence, and counted in
/// `roomserver_limits_hit_total`.
public struct ServerLimits: Sendable, Hashable {
  public var rooms = 1000
  public var participantsPerRoom = 1000
  /// Percent of a room's places that only participants with the `publish` grant get, rounded up.
  public var publisherShare = RoomBounds().publisherShare
  /// WHEP sessions in one room that were begun with the same token.
  public var sessionsPerToken = RoomBounds().sessionsPerToken
  /// WHEP sessions of one user in one room.
  public var sessionsPerUser = RoomBounds().sessionsPerUser
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
  /// Calls of one participant that send an event to the whole room, a second, after the burst; more are refused. A call of many bytes
  /// counts as several.
  public var changesPerSecond = RoomBounds().changesPerSecond
  public var changeBurst = RoomBounds().changeBurst
  /// Bytes on their way to one signalling socket, 256 more for each message; a client that reads more slowly is closed.
  public var outgoingBytes = 4 * 1024 * 1024
  /// HTTP connections and signalling sockets at once.
  public var connections = 4000
  /// HTTP connections from one address, signalling sockets among them; 0 for as many as there are. Trusted proxies have no limit, and
  /// the signalling sockets of each client behind them have this one.
  public var connectionsPerAddress = 1000
  /// How long the head of an HTTP request may take; a body of more than 16 KiB has a second more for each 16 KiB.
  public var requestTime: Duration = .seconds(10)
  /// An HTTP connection is closed after so long without a byte, in whole seconds; signalling sockets and answers in preparation are
  /// exempt.
  public var idleTime: Duration = .seconds(30)
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

  /// What holds in each room.
  var inRooms: RoomBounds {
    var bounds = RoomBounds()
    bounds.told = told
    bounds.publisherShare = publisherShare
    bounds.sessionsPerToken = sessionsPerToken
    bounds.sessionsPerUser = sessionsPerUser
    bounds.changesPerSecond = changesPerSecond
    bounds.changeBurst = changeBurst
    return bounds
  }
}
