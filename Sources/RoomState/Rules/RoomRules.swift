import RoomProtocol

/// What a room is made with: its limits and waiting times. Times are in milliseconds.
public struct RoomRules: Codable, Hashable, Sendable {
  /// How long a request for a seat waits.
  public var requestTime: Int64 = 30_000
  /// How long an invitation to a seat waits.
  public var invitationTime: Int64 = 30_000
  /// Requests that wait at once.
  public var requests = 10
  /// Invitations to seats that wait at once.
  public var invitations = 10
  /// Whether the host's seat goes by itself to who joins with the `admin` and the `publish` grant.
  public var hostIsSeated = true

  /// How long an invitation to a PK waits.
  public var pkInvitationTime: Int64 = 30_000
  /// How long an accepted PK waits for the other room to begin it.
  public var pkBeginTime: Int64 = 10_000
  /// How long an anchor may be gone before the PK ends.
  public var pkGraceTime: Int64 = 20_000
  /// How often a running PK's halves tell each other how they are.
  public var pkBeatTime: Int64 = 5_000
  /// After how long without a word the other room counts as gone.
  public var pkSilenceTime: Int64 = 15_000
  /// Invitations from other rooms that wait at once.
  public var pkInvitations = 10

  /// Messages of one user, a second, after the burst.
  public var messagesPerSecond = 10
  public var messageBurst = 20
  /// What newcomers get of the messages.
  public var historyMessages = RoomLimits().historyMessages
  public var historyBytes = RoomLimits().historyBytes

  public var attributes = 50
  public var attributesPerCall = 10
  public var attributeKeyBytes = 64
  public var attributeValueBytes = 4096

  /// Changes that are remembered for those who missed them.
  public var journalEntries = 512
  /// About as many bytes of them.
  public var journalBytes = 1 << 20

  public init() {}

  /// As clients are told.
  var limits: RoomLimits {
    var limits = RoomLimits()
    limits.historyMessages = historyMessages
    limits.historyBytes = historyBytes
    return limits
  }
}
