/// The calls that control seats and the layout.
public enum SeatCall: Sendable, Hashable {
  /// Takes a seat; needs the `publish` grant, and the `admin` grant for seat 0.
  case take(SeatParams)
  /// Leaves the caller's seat.
  case leave
  /// Removes a user from its seat; needs the `admin` grant.
  case kick(UserParams)
  /// Sets the switches of a seat.
  case set(SeatSwitches)
  /// Changes the layout; needs the `admin` grant.
  case setLayout(LayoutParams)
  /// Requests a seat.
  case request(SeatParams)
  /// Cancels the caller's request.
  case cancelRequest
  /// Accepts a user's request; needs the `admin` grant.
  case acceptRequest(UserParams)
  /// Rejects a user's request; needs the `admin` grant.
  case rejectRequest(UserParams)
  /// Returns the pending requests.
  case listRequests
  /// Invites a user to a seat; needs the `admin` grant.
  case invite(SeatInviteParams)
  /// Cancels a user's invitation; needs the `admin` grant.
  case cancelInvitation(UserParams)
  /// Accepts the caller's invitation and takes the seat.
  case acceptInvitation
  /// Rejects the caller's invitation.
  case rejectInvitation
}

/// The parameters that name a seat.
public struct SeatParams: Codable, Sendable, Hashable {
  /// The seat's index; nil or −1 for the first free seat.
  public var index: Int?
  /// Creates the parameters.
  public init(index: Int? = nil) { self.index = index }
}

/// The switches of a seat to set. A nil value stays unchanged.
public struct SeatSwitches: Codable, Sendable, Hashable {
  /// The seat's index.
  public var index: Int
  /// Whether the seat is locked; needs the `admin` grant.
  public var locked: Bool?
  /// Whether the user on the seat is muted; needs the `admin` grant.
  public var muted: Bool?
  /// Whether the user's video is on; for the user on the seat, or with the `admin` grant.
  public var video: Bool?
  /// Whether the user's audio is on; for the user on the seat, or with the `admin` grant.
  public var audio: Bool?

  /// Creates the switches.
  public init(index: Int, locked: Bool? = nil, muted: Bool? = nil, video: Bool? = nil, audio: Bool? = nil) {
    self.index = index
    self.locked = locked
    self.muted = muted
    self.video = video
    self.audio = audio
  }
}

/// The parameters of a seat invitation.
public struct SeatInviteParams: Codable, Sendable, Hashable {
  /// The user to invite.
  public var userId: UserID
  /// The offered seat; nil or −1 for any.
  public var index: Int?

  /// Creates the parameters.
  public init(userId: UserID, index: Int? = nil) {
    self.userId = userId
    self.index = index
  }
}

/// The result of a call that takes a seat.
public struct SeatResult: Codable, Sendable, Hashable {
  /// The seat's index.
  public var index: Int
  /// Creates the result.
  public init(index: Int) { self.index = index }
}

/// The result of `listRequests`.
public struct SeatRequestList: Codable, Sendable, Hashable {
  /// The pending requests, the oldest first.
  public var requests: [SeatRequest]
  /// Creates the result.
  public init(requests: [SeatRequest]) { self.requests = requests }
}

extension SeatCall: NestedCall {
  /// The method's name on the wire.
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
