/// A stable error code. The number and the name never change meaning.
///
/// A number that this build does not know is kept, so that an older client can talk to a newer server.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
  /// The number sent on the wire.
  public let rawValue: Int
  /// Creates a code from its number; any number is accepted.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Decodes the code from a single JSON number.
  public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Int.self) }
  /// Encodes the code as a single JSON number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The name sent with the number; `unknown` if this build does not know the number.
  public var name: String { Self.names[rawValue] ?? "unknown" }

  /// 80000: success. Never sent, because a success has a `result` instead of an error.
  public static let ok = Self(rawValue: 80000)

  // Signalling and access.
  /// 10001: the message is not a valid request, or its method is unknown.
  public static let unknownMessage = Self(rawValue: 10001)
  /// 10002: the token is malformed, expired, wrongly signed or issued for another room.
  public static let tokenInvalid = Self(rawValue: 10002)
  /// 10003: the token lacks the grant that the call needs.
  public static let noPermission = Self(rawValue: 10003)
  /// 10011: the room does not exist (signalling). REST sends ``roomNotFound``.
  public static let noSuchRoom = Self(rawValue: 10011)
  /// 10012: the room is already in a PK.
  public static let roomInPK = Self(rawValue: 10012)
  /// 10013: the room is not in a PK.
  public static let roomNotInPK = Self(rawValue: 10013)
  /// 10016: another user is on the seat.
  public static let seatTaken = Self(rawValue: 10016)
  /// 401003: the session ended because the same user joined elsewhere.
  public static let duplicateLogin = Self(rawValue: 401003)
  /// 404002: the room does not exist (REST).
  public static let roomNotFound = Self(rawValue: 404002)

  // Rooms, publish and subscribe.
  /// 80101: the join failed, for example because the room or the server is full. A later try may succeed.
  public static let joinFailed = Self(rawValue: 80101)
  /// 80102: leaving failed. Never sent, because leaving cannot fail.
  public static let leaveFailed = Self(rawValue: 80102)
  /// 80103: the caller or the named user is not in the room.
  public static let notInRoom = Self(rawValue: 80103)
  /// 80201: publishing or unpublishing failed, a job id is in use, or a `serialnum` is not the largest of its URL.
  public static let publishFailed = Self(rawValue: 80201)
  /// 80202: the track does not exist or cannot be received.
  public static let subscribeFailed = Self(rawValue: 80202)
  /// 80203: a stream cannot be played: the code of `StreamFailure` of `RoomMedia`. This server sends ``subscribeFailed`` instead.
  public static let cdnSubscribeFailed = Self(rawValue: 80203)
  /// 80204: a parameter of a relay job, a player or a variant is invalid; the message names the field. Also that of a room without a
  /// play URL.
  public static let cdnParameters = Self(rawValue: 80204)
  /// 80301: reading the room's information failed. This server sends ``noSuchRoom`` or ``roomNotFound`` instead.
  public static let getRoomFailed = Self(rawValue: 80301)
  /// 80302: attributes, a layout or an image are invalid, or one participant changes the room too often.
  public static let updateRoomFailed = Self(rawValue: 80302)

  // Mics and seats.
  /// 80401: the user cannot take a seat, for example because it is a guest of a PK.
  public static let connectMicFailed = Self(rawValue: 80401)
  /// 80403: the call does not fit the seat's state, or the seat's switches mute the track.
  public static let wrongMicState = Self(rawValue: 80403)
  /// 80411: the seat request or invitation is a duplicate, or does not exist.
  public static let requestFailed = Self(rawValue: 80411)
  /// 80412: ten requests or invitations are already pending.
  public static let requestsFull = Self(rawValue: 80412)
  /// 80413: the user is already on a seat.
  public static let alreadySeated = Self(rawValue: 80413)
  /// 80414: the request or invitation to accept is no longer pending.
  public static let acceptFailed = Self(rawValue: 80414)
  /// 80415: the request or invitation to reject is no longer pending.
  public static let rejectFailed = Self(rawValue: 80415)
  /// 80501: the layout has no seat with this index.
  public static let seatIndexInvalid = Self(rawValue: 80501)
  /// 80502: no seat is free.
  public static let seatsFull = Self(rawValue: 80502)
  /// 80503: the seat is locked.
  public static let seatLocked = Self(rawValue: 80503)
  /// 80504: the seat has a user. This server sends ``seatTaken`` instead.
  public static let seatHasUser = Self(rawValue: 80504)
  /// 80601: the room already has this layout.
  public static let sameLayout = Self(rawValue: 80601)

  // PK.
  /// 80700: already in a PK. This server sends ``roomInPK`` instead.
  public static let alreadyInPK = Self(rawValue: 80700)
  /// 80701: not in a PK. This server sends ``roomNotInPK`` instead.
  public static let notInPK = Self(rawValue: 80701)
  /// 80702: the PK invitation cannot be sent.
  public static let pkInviteFailed = Self(rawValue: 80702)
  /// 80703: the PK invitation to cancel is no longer pending.
  public static let pkCancelFailed = Self(rawValue: 80703)
  /// 80704: the PK invitation to answer is no longer pending, or the answer is invalid.
  public static let pkAnswerFailed = Self(rawValue: 80704)
  /// 80705: the PK cannot begin or resume.
  public static let pkBeginFailed = Self(rawValue: 80705)
  /// 80706: the PK cannot be ended. This server sends ``roomNotInPK`` or ``noPermission`` instead.
  public static let pkEndFailed = Self(rawValue: 80706)
  /// 80707: the other anchor cannot be muted. This server sends ``roomNotInPK`` or ``noPermission`` instead.
  public static let mutePeerFailed = Self(rawValue: 80707)

  // Messages.
  /// 81001: the message is invalid or exceeds the rate limit.
  public static let messageFailed = Self(rawValue: 81001)
  /// 82001: no permission. This server sends ``noPermission`` instead.
  public static let noRight = Self(rawValue: 82001)

  private static let names: [Int: String] = [
    80000: "ok", 10001: "unknownMessage", 10002: "tokenInvalid", 10003: "noPermission", 10011: "noSuchRoom",
    10012: "roomInPK", 10013: "roomNotInPK", 10016: "seatTaken", 401003: "duplicateLogin", 404002: "roomNotFound",
    80101: "joinFailed", 80102: "leaveFailed", 80103: "notInRoom", 80201: "publishFailed", 80202: "subscribeFailed",
    80203: "cdnSubscribeFailed", 80204: "cdnParameters", 80301: "getRoomFailed", 80302: "updateRoomFailed",
    80401: "connectMicFailed", 80403: "wrongMicState", 80411: "requestFailed", 80412: "requestsFull",
    80413: "alreadySeated", 80414: "acceptFailed", 80415: "rejectFailed", 80501: "seatIndexInvalid", 80502: "seatsFull",
    80503: "seatLocked", 80504: "seatHasUser", 80601: "sameLayout", 80700: "alreadyInPK", 80701: "notInPK",
    80702: "pkInviteFailed", 80703: "pkCancelFailed", 80704: "pkAnswerFailed", 80705: "pkBeginFailed",
    80706: "pkEndFailed", 80707: "mutePeerFailed", 81001: "messageFailed", 82001: "noRight",
  ]
}

/// An error as sent on the wire: code, name and a sentence that a person can act on.
public struct RoomError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The error code.
  public let code: ErrorCode
  /// The code's name, as the server sent it.
  public let name: String
  /// A sentence that says what is wrong; for a parameter it begins with the field's name.
  public let message: String
  /// The signalling URL of another server on which the same call may succeed; nil if there is none.
  public let redirect: String?

  /// Creates an error. The name is derived from the code.
  public init(_ code: ErrorCode, _ message: String, redirect: String? = nil) {
    self.redirect = redirect
    self.code = code
    self.name = code.name
    self.message = message
  }

  /// The code, the name and the message in one line.
  public var description: String { "\(code.rawValue) \(name): \(message)" }
}
