/// A change of a room with its number: `{"event": "seatChanged", "seq": 17, "data": {…}}`.
///
/// A room's numbers grow by one. Some changes go only to some participants, so a client may see gaps. After a lost connection a
/// client continues from the last number that it received.
public struct NumberedChange: Codable, Sendable, Hashable {
  /// The change's number in the room.
  public var seq: Int
  /// The change.
  public var change: RoomChange

  /// Creates a numbered change.
  public init(seq: Int, change: RoomChange) {
    self.seq = seq
    self.change = change
  }

  /// Decodes a change.
  /// - Throws: `DecodingError` for an unknown name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EventKeys.self)
    let name = try container.decode(String.self, forKey: .event)
    guard let change = try RoomChange(name: name, data: EventData(container: container)) else {
      throw DecodingError.dataCorruptedError(forKey: .event, in: container, debugDescription: "unknown change \(name)")
    }
    self.change = change
    seq = try container.decode(Int.self, forKey: .seq)
  }

  /// Encodes the change.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EventKeys.self)
    try container.encode(change.name, forKey: .event)
    try container.encode(seq, forKey: .seq)
    try container.encode(change.data, forKey: .data)
  }
}

/// A change of a room's state.
public enum RoomChange: Sendable, Hashable {
  /// A seat's user or one of its switches changed.
  case seatChanged(SeatChangedData)
  /// The layout changed.
  case layoutChanged(LayoutChangedData)
  /// A user requested a seat.
  case seatRequested(SeatRequest)
  /// A seat request was answered, cancelled or timed out.
  case seatRequestEnded(SeatEndedData)
  /// A user was invited to a seat.
  case seatInvited(SeatInvitation)
  /// A seat invitation was answered, cancelled or timed out.
  case seatInvitationEnded(SeatEndedData)
  /// A message was sent.
  case message(RoomMessage)
  /// Attributes were set or removed.
  case attributesChanged(AttributesChangedData)
  /// A PK invitation was sent or received. Participants with the `admin` grant receive it, in both rooms.
  case pkInvited(PKInvitation)
  /// A PK invitation was answered, cancelled or timed out.
  case pkInvitationEnded(PKInvitationEndedData)
  /// The room looks for a PK opponent. Participants with the `admin` grant receive it.
  case pkMatching(PKTicket)
  /// The search for an opponent ended. Participants with the `admin` grant receive it.
  case pkMatchEnded(PKMatchEndedData)
  /// A PK began.
  case pkBegan(PKInfo)
  /// The score, a mute or the connection of an anchor changed.
  case pkChanged(PKInfo)
  /// The PK ended.
  case pkEnded(PKEndedData)

  /// The event's name on the wire.
  public var name: String {
    switch self {
    case .seatChanged: "seatChanged"
    case .layoutChanged: "layoutChanged"
    case .seatRequested: "seatRequested"
    case .seatRequestEnded: "seatRequestEnded"
    case .seatInvited: "seatInvited"
    case .seatInvitationEnded: "seatInvitationEnded"
    case .message: "message"
    case .attributesChanged: "attributesChanged"
    case .pkInvited: "pkInvited"
    case .pkInvitationEnded: "pkInvitationEnded"
    case .pkMatching: "pkMatching"
    case .pkMatchEnded: "pkMatchEnded"
    case .pkBegan: "pkBegan"
    case .pkChanged: "pkChanged"
    case .pkEnded: "pkEnded"
    }
  }

  /// The event's data.
  public var data: any Encodable & Sendable {
    switch self {
    case .seatChanged(let data): data
    case .layoutChanged(let data): data
    case .seatRequested(let data): data
    case .seatRequestEnded(let data), .seatInvitationEnded(let data): data
    case .seatInvited(let data): data
    case .message(let data): data
    case .attributesChanged(let data): data
    case .pkInvited(let data): data
    case .pkInvitationEnded(let data): data
    case .pkMatching(let data): data
    case .pkMatchEnded(let data): data
    case .pkBegan(let data), .pkChanged(let data): data
    case .pkEnded(let data): data
    }
  }

  /// Decodes a change; returns nil for an unknown name.
  init?(name: String, data: EventData) throws {
    switch name {
    case "seatChanged": self = .seatChanged(try data.read())
    case "layoutChanged": self = .layoutChanged(try data.read())
    case "seatRequested": self = .seatRequested(try data.read())
    case "seatRequestEnded": self = .seatRequestEnded(try data.read())
    case "seatInvited": self = .seatInvited(try data.read())
    case "seatInvitationEnded": self = .seatInvitationEnded(try data.read())
    case "message": self = .message(try data.read())
    case "attributesChanged": self = .attributesChanged(try data.read())
    case "pkInvited": self = .pkInvited(try data.read())
    case "pkInvitationEnded": self = .pkInvitationEnded(try data.read())
    case "pkMatching": self = .pkMatching(try data.read())
    case "pkMatchEnded": self = .pkMatchEnded(try data.read())
    case "pkBegan": self = .pkBegan(try data.read())
    case "pkChanged": self = .pkChanged(try data.read())
    case "pkEnded": self = .pkEnded(try data.read())
    default: return nil
    }
  }
}

enum EventKeys: String, CodingKey { case event, seq, data }

/// The `data` of an event that is being decoded.
struct EventData {
  let container: KeyedDecodingContainer<EventKeys>
  func read<Data: Decodable>() throws -> Data { try container.decode(Data.self, forKey: .data) }
}
