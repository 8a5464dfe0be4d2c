import RoomProtocol

/// The limits and timeouts of a room. Times are in milliseconds.
public struct RoomRules: Codable, Hashable, Sendable {
  /// Timeout of a request for a seat.
  public var requestTime: Int64 = 30_000
  /// Timeout of an invitation to a seat.
  public var invitationTime: Int64 = 30_000
  /// Maximum number of pending seat requests.
  public var requests = 10
  /// Maximum number of pending invitations to seats.
  public var invitations = 10
  /// Whether a user that joins with the `admin` and the `publish` grant takes the free host's seat automatically.
  public var hostIsSeated = true

  /// Timeout of an invitation to a PK.
  public var pkInvitationTime: Int64 = 30_000
  /// The durations of a PK, in seconds.
  public var pkDurations: ClosedRange<Int> { 10...86400 }
  /// Time within which the other room must start an accepted PK.
  public var pkBeginTime: Int64 = 10_000
  /// Time that an anchor may be absent before the PK ends.
  public var pkGraceTime: Int64 = 20_000
  /// Interval at which the halves of a running PK send each other their state.
  public var pkBeatTime: Int64 = 5_000
  /// Time without a message after which the other room counts as unreachable.
  public var pkSilenceTime: Int64 = 15_000
  /// Interval at which a room that looks for an opponent confirms its place in the queue.
  public var pkMatchingTime: Int64 { 15_000 }
  /// Maximum number of pending invitations from other rooms.
  public var pkInvitations = 10
  /// Maximum number of rooms in a PK, 2…9.
  public var pkRooms: Int {
    get { maximumPKRooms ?? 4 }
    set { maximumPKRooms = min(max(newValue, 2), 9) }
  }
  /// Rooms that never meet this one in a PK; nil for none.
  public var pkApart: [RoomName]?
  /// Nil in rules that were stored before a PK could have more than two rooms.
  private var maximumPKRooms: Int?

  /// Messages per second and user, after the burst.
  public var messagesPerSecond = 10
  public var messageBurst = 20
  /// The message history that a joining user receives.
  public var historyMessages = RoomLimits().historyMessages
  public var historyBytes = RoomLimits().historyBytes

  public var attributes = 50
  public var attributesPerCall = 10
  public var attributeKeyBytes = 64
  public var attributeValueBytes = 4096

  /// Number of changes kept for clients that reconnect.
  public var journalEntries = 512
  /// Approximate size of those changes in bytes.
  public var journalBytes = 1 << 20

  public init() {}

  /// The limits as sent to clients.
  var limits: RoomLimits {
    var limits = RoomLimits()
    limits.historyMessages = historyMessages
    limits.historyBytes = historyBytes
    return limits
  }
}
