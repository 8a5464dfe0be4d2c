/// The state of a room as one participant may see it. The join answer contains it, and ``apply(_:limits:)`` keeps it current.
public struct RoomSnapshot: Codable, Sendable, Hashable {
  /// The room's name.
  public var name: RoomName
  /// The time of the room's creation, in milliseconds since 1970.
  public var createdAt: Int64
  /// The number of the last change that is included.
  public var seq: Int
  /// The layout and its canvas.
  public var layout: Layout
  /// The seats by index.
  public var seats: [SeatInfo]
  /// The pending seat requests, the oldest first.
  public var requests: [SeatRequest]
  /// The pending seat invitations, the oldest first.
  public var invitations: [SeatInvitation]
  /// The attributes, at most 50.
  public var attributes: [String: String]
  /// The last messages to all without likes, the oldest first; at most ``RoomLimits/historyMessages``.
  public var messages: [RoomMessage]
  /// The PK of the room; nil if there is none.
  public var pk: PKInfo?
  /// The pending PK invitations of both directions; empty without the `admin` grant.
  public var pkInvitations: [PKInvitation]
  /// The room's search for a PK opponent; nil if there is none, and without the `admin` grant.
  public var pkMatching: PKTicket?
  /// The running relay jobs.
  public var jobs: [JobInfo]
  /// The players; nil from servers before they existed.
  public var players: [PlayerInfo]?
  /// The style of the room's composition; nil from servers before it existed.
  public var stage: StagePicture?
  /// The URLs at which an audience plays the room, as of the time of the snapshot; nil from a server that gives none.
  public var play: PlayURLs?

  /// Creates a snapshot.
  public init(
    name: RoomName, createdAt: Int64, seq: Int = 0, layout: Layout = .standard, seats: [SeatInfo] = [],
    requests: [SeatRequest] = [], invitations: [SeatInvitation] = [], attributes: [String: String] = [:],
    messages: [RoomMessage] = [], pk: PKInfo? = nil, pkInvitations: [PKInvitation] = [], jobs: [JobInfo] = [],
    players: [PlayerInfo]? = nil, stage: StagePicture? = nil, play: PlayURLs? = nil
  ) {
    self.stage = stage
    self.name = name
    self.createdAt = createdAt
    self.seq = seq
    self.layout = layout
    self.seats = seats
    self.requests = requests
    self.invitations = invitations
    self.attributes = attributes
    self.messages = messages
    self.pk = pk
    self.pkInvitations = pkInvitations
    self.jobs = jobs
    self.players = players
    self.play = play
  }

  /// Applies a change. Ignores one that is already included.
  /// - Parameters:
  ///   - numbered: the change.
  ///   - limits: the limits of the join answer, which bound the message history.
  public mutating func apply(_ numbered: NumberedChange, limits: RoomLimits) {
    guard numbered.seq > seq else { return }
    seq = numbered.seq
    switch numbered.change {
    case .seatChanged(let data):
      if seats.indices.contains(data.seat.index) { seats[data.seat.index] = data.seat }
    case .layoutChanged(let data):
      layout = data.layout
      seats = data.seats
    case .seatRequested(let request): requests.append(request)
    case .seatRequestEnded(let data): requests.removeAll { $0.userId == data.userId }
    case .seatInvited(let invitation): invitations.append(invitation)
    case .seatInvitationEnded(let data): invitations.removeAll { $0.userId == data.userId }
    case .message(let message): messages.keep(message, limits: limits)
    case .attributesChanged(let data):
      attributes.merge(data.set) { $1 }
      for key in data.removed { attributes[key] = nil }
    case .pkInvited(let invitation): pkInvitations.append(invitation)
    case .pkInvitationEnded(let data): pkInvitations.removeAll { $0.pkId == data.pkId }
    case .pkMatching(let ticket): pkMatching = ticket
    case .pkMatchEnded: pkMatching = nil
    case .pkBegan(let info), .pkChanged(let info): pk = info
    case .pkEnded: pk = nil
    }
  }
}
