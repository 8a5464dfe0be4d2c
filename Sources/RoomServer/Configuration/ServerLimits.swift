import RoomProtocol
import RoomEngine

/// Limits of the control plane. A request over a limit fails with a code and a message, and is counted in
/// `roomserver_limits_hit_total`.
public struct ServerLimits: Sendable, Hashable {
  public var rooms = 1000
  public var participantsPerRoom = 1000
  /// Percentage of a room's capacity that is reserved for participants with the `publish` grant, rounded up.
  public var publisherShare = RoomBounds().publisherShare
  /// WHEP sessions in one room that were started with the same token.
  public var sessionsPerToken = RoomBounds().sessionsPerToken
  /// WHEP sessions of one user in one room.
  public var sessionsPerUser = RoomBounds().sessionsPerUser
  public var tracksPerParticipant = 16
  /// Bytes of one signalling message.
  public var messageBytes = RoomLimits().messageBytes
  /// Bytes of one HTTP body, except images.
  public var bodyBytes = 64 * 1024
  /// Joins allowed from one address per second, after the burst.
  public var joinsPerSecond = 20.0
  public var joinBurst = 100
  /// Addresses whose joins are counted at a time; the one that has been inactive longest is removed first.
  public var joinAddresses = 10_000
  /// Requests of watch pages for their state that one address may make per second, after the burst. A page makes one every two
  /// seconds or less often.
  public var watchesPerSecond = 100.0
  public var watchBurst = 500
  /// Signalling messages of one socket per second, after the burst. Further messages are delayed, not rejected.
  public var messagesPerSecond = 100.0
  public var messageBurst = 300
  /// Calls of one participant per second that send an event to the whole room, after the burst. Further calls are rejected. A
  /// large call counts as several.
  public var changesPerSecond = RoomBounds().changesPerSecond
  public var changeBurst = RoomBounds().changeBurst
  /// Unsent bytes of one signalling socket, plus 256 for each message. A client that reads more slowly is closed.
  public var outgoingBytes = 4 * 1024 * 1024
  /// HTTP connections and signalling sockets at a time.
  public var connections = 4000
  /// HTTP connections from one address, including signalling sockets; 0 means unlimited. Trusted proxies have no limit, but the
  /// signalling sockets of each client behind them have this one.
  public var connectionsPerAddress = 1000
  /// How long the head of an HTTP request may take. A body of more than 16 KiB has an additional second for each 16 KiB.
  public var requestTime: Duration = .seconds(10)
  /// The time without a byte after which an HTTP connection is closed, in whole seconds. Signalling sockets and answers in
  /// preparation are exempt.
  public var idleTime: Duration = .seconds(30)
  /// Kicked tokens remembered until they expire.
  public var kickedTokens = 100_000

  public init() {}

  /// The limits that clients receive.
  var announced: RoomLimits {
    var limits = RoomLimits()
    limits.messageBytes = messageBytes
    limits.tracksPerParticipant = tracksPerParticipant
    limits.participantsPerRoom = participantsPerRoom
    return limits
  }

  /// The limits of each room.
  var inRooms: RoomBounds {
    var bounds = RoomBounds()
    bounds.clientLimits = announced
    bounds.publisherShare = publisherShare
    bounds.sessionsPerToken = sessionsPerToken
    bounds.sessionsPerUser = sessionsPerUser
    bounds.changesPerSecond = changesPerSecond
    bounds.changeBurst = changeBurst
    return bounds
  }
}
