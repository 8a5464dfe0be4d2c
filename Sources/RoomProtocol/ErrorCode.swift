/// A stable error code of the product; the number and the name never change meaning.
///
/// Numbers from outside that this build does not know are kept as they are, so that a newer server can talk to an older client.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Int.self) }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The name sent beside the number; `unknown` for a number this build does not know.
  public var name: String { Self.names[rawValue] ?? "unknown" }

  public static let ok = Self(rawValue: 80000)

  // Signalling and access.
  public static let unknownMessage = Self(rawValue: 10001)
  public static let tokenInvalid = Self(rawValue: 10002)
  public static let noPermission = Self(rawValue: 10003)
  public static let noSuchRoom = Self(rawValue: 10011)
  public static let roomInPK = Self(rawValue: 10012)
  public static let roomNotInPK = Self(rawValue: 10013)
  public static let seatTaken = Self(rawValue: 10016)
  /// The session ended because the same user joined elsewhere.
  public static let duplicateLogin = Self(rawValue: 401003)
  /// REST's number for an unknown room.
  public static let roomNotFound = Self(rawValue: 404002)

  // Rooms, publish and subscribe.
  public static let joinFailed = Self(rawValue: 80101)
  public static let leaveFailed = Self(rawValue: 80102)
  public static let notInRoom = Self(rawValue: 80103)
  public static let publishFailed = Self(rawValue: 80201)
  public static let subscribeFailed = Self(rawValue: 80202)
  public static let cdnSubscribeFailed = Self(rawValue: 80203)
  public static let cdnParameters = Self(rawValue: 80204)
  public static let getRoomFailed = Self(rawValue: 80301)
  public static let updateRoomFailed = Self(rawValue: 80302)

  // Mics and seats.
  public static let connectMicFailed = Self(rawValue: 80401)
  public static let wrongMicState = Self(rawValue: 80403)
  public static let requestFailed = Self(rawValue: 80411)
  public static let requestsFull = Self(rawValue: 80412)
  public static let alreadySeated = Self(rawValue: 80413)
  public static let acceptFailed = Self(rawValue: 80414)
  public static let rejectFailed = Self(rawValue: 80415)
  public static let seatIndexInvalid = Self(rawValue: 80501)
  public static let seatsFull = Self(rawValue: 80502)
  public static let seatLocked = Self(rawValue: 80503)
  public static let seatHasUser = Self(rawValue: 80504)
  public static let sameLayout = Self(rawValue: 80601)

  // PK.
  public static let alreadyInPK = Self(rawValue: 80700)
  public static let notInPK = Self(rawValue: 80701)
  public static let pkInviteFailed = Self(rawValue: 80702)
  public static let pkCancelFailed = Self(rawValue: 80703)
  public static let pkAnswerFailed = Self(rawValue: 80704)
  public static let pkBeginFailed = Self(rawValue: 80705)
  public static let pkEndFailed = Self(rawValue: 80706)
  public static let mutePeerFailed = Self(rawValue: 80707)

  // Messages.
  public static let messageFailed = Self(rawValue: 81001)
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

/// An error as it goes over the wire: code, name and a sentence that a person can act on.
public struct RoomError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  public let code: ErrorCode
  public let name: String
  public let message: String
  /// The signalling URL of another server, where the same call may succeed.
  public let redirect: String?

  public init(_ code: ErrorCode, _ message: String, redirect: String? = nil) {
    self.redirect = redirect
    self.code = code
    self.name = code.name
    self.message = message
  }

  public var description: String { "\(code.rawValue) \(name): \(message)" }
}
