/// The calls about seats and the layout.
public enum SeatCall: Sendable, Hashable {
  /// Sits down; needs the `publish` grant, and the `admin` grant for seat 0.
  case take(SeatParams)
  case leave
  /// Takes a user off its seat; needs the `admin` grant.
  case kick(UserParams)
  /// Sets switches of a seat.
  case set(SeatSwitches)
  /// Changes the layout; needs the `admin` grant.
  case setLayout(LayoutParams)
  case request(SeatParams)
  case cancelRequest
  /// Needs the `admin` grant, as `rejectRequest` does.
  case acceptRequest(UserParams)
  case rejectRequest(UserParams)
  case listRequests
  /// Asks a user to take a seat; needs the `admin` grant.
  case invite(SeatInviteParams)
  case cancelInvitation(UserParams)
  case acceptInvitation
  case rejectInvitation
}

/// A seat to sit on.
public struct SeatParams: Codable, Sendable, Hashable {
  /// −1 or absent: the first free one.
  public var index: Int?
  public init(index: Int? = nil) { self.index = index }
}

/// What to change of a seat; what is absent stays.
public struct SeatSwitches: Codable, Sendable, Hashable {
  public var index: Int
  /// Needs the `admin` grant, as `muted` does.
  public var locked: Bool?
  public var muted: Bool?
  /// For who sits there, and with the `admin` grant; as `audio` is.
  public var video: Bool?
  public var audio: Bool?

  public init(index: Int, locked: Bool? = nil, muted: Bool? = nil, video: Bool? = nil, audio: Bool? = nil) {
    self.index = index
    self.locked = locked
    self.muted = muted
    self.video = video
    self.audio = audio
  }
}

public struct SeatInviteParams: Codable, Sendable, Hashable {
  public var userId: UserID
  /// −1 or absent: any.
  public var index: Int?

  public init(userId: UserID, index: Int? = nil) {
    self.userId = userId
    self.index = index
  }
}

/// The seat that the user has.
public struct SeatResult: Codable, Sendable, Hashable {
  public var index: Int
  public init(index: Int) { self.index = index }
}

public struct SeatRequestList: Codable, Sendable, Hashable {
  /// The oldest first.
  public var requests: [SeatRequest]
  public init(requests: [SeatRequest]) { self.requests = requests }
}

extension SeatCall: NestedCall {
  public var method: String {
    switch self {
    case .take: "takeSeat"
    case .leave: "leaveSeat"
    case .kick: "kickFromSeat"
    case .set: "setSeat"
    case .setLayout: "setLayout"
    case .request: "requestSeat"
    case .cancelRequest: "cancelRequest"
    case .acceptRequest: "acceptRequest"
    case .rejectRequest: "rejectRequest"
    case .listRequests: "listRequests"
    case .invite: "inviteToSeat"
    case .cancelInvitation: "cancelInvitation"
    case .acceptInvitation: "acceptInvitation"
    case .rejectInvitation: "rejectInvitation"
    }
  }

  init?(method: String, params: CallParams) throws {
    switch method {
    case "takeSeat": self = .take(try params.readIfPresent() ?? SeatParams())
    case "leaveSeat": self = .leave
    case "kickFromSeat": self = .kick(try params.read())
    case "setSeat": self = .set(try params.read())
    case "setLayout": self = .setLayout(try params.read())
    case "requestSeat": self = .request(try params.readIfPresent() ?? SeatParams())
    case "cancelRequest": self = .cancelRequest
    case "acceptRequest": self = .acceptRequest(try params.read())
    case "rejectRequest": self = .rejectRequest(try params.read())
    case "listRequests": self = .listRequests
    case "inviteToSeat": self = .invite(try params.read())
    case "cancelInvitation": self = .cancelInvitation(try params.read())
    case "acceptInvitation": self = .acceptInvitation
    case "rejectInvitation": self = .rejectInvitation
    default: return nil
    }
  }

  var params: (any Encodable)? {
    switch self {
    case .take(let params), .request(let params): params
    case .kick(let params), .acceptRequest(let params), .rejectRequest(let params), .cancelInvitation(let params): params
    case .set(let params): params
    case .setLayout(let params): params
    case .invite(let params): params
    case .leave, .cancelRequest, .listRequests, .acceptInvitation, .rejectInvitation: nil
    }
  }
}
