/// A room as one of its users may see it: what the join answer brings, kept true by `apply`.
public struct RoomSnapshot: Codable, Sendable, Hashable {
  public var name: RoomName
  /// Milliseconds since 1970.
  public var createdAt: Int64
  /// The number of the last change that is in it.
  public var seq: Int
  public var layout: Layout
  public var seats: [SeatInfo]
  /// Who waits for a seat, the oldest first.
  public var requests: [SeatRequest]
  public var invitations: [SeatInvitation]
  public var attributes: [String: String]
  /// The last messages to all, likes left out; the oldest first.
  public var messages: [RoomMessage]
  public var pk: PKInfo?
  /// Invitations to a PK, of both directions; empty for who lacks the `admin` grant.
  public var pkInvitations: [PKInvitation]
  public var jobs: [JobInfo]

  public init(
    name: RoomName, createdAt: Int64, seq: Int = 0, layout: Layout = .standard, seats: [SeatInfo] = [],
    requests: [SeatRequest] = [], invitations: [SeatInvitation] = [], attributes: [String: String] = [:],
    messages: [RoomMessage] = [], pk: PKInfo? = nil, pkInvitations: [PKInvitation] = [], jobs: [JobInfo] = []
  ) {
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
  }

  /// Takes a change in. One that is in it already changes nothing.
  /// - Parameter limits: those of the join answer: how many messages are kept.
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
    case .pkBegan(let info), .pkChanged(let info): pk = info
    case .pkEnded: pk = nil
    }
  }
}
