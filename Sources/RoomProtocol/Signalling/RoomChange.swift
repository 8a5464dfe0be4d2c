/// An event that changes a room, with its number: `{"event": "seatChanged", "seq": 17, "data": {…}}`.
///
/// A room's numbers grow by one. Some changes are told to some alone, so that a client may see gaps; the last number it saw is
/// where it goes on after a lost connection.
public struct NumberedChange: Codable, Sendable, Hashable {
  public var seq: Int
  public var change: RoomChange

  public init(seq: Int, change: RoomChange) {
    self.seq = seq
    self.change = change
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EventKeys.self)
    let name = try container.decode(String.self, forKey: .event)
    guard let change = try RoomChange(name: name, data: EventData(container: container)) else {
      throw DecodingError.dataCorruptedError(forKey: .event, in: container, debugDescription: "no change is called \(name)")
    }
    self.change = change
    seq = try container.decode(Int.self, forKey: .seq)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EventKeys.self)
    try container.encode(change.name, forKey: .event)
    try container.encode(seq, forKey: .seq)
    try container.encode(change.data, forKey: .data)
  }
}

/// What changes in a room and is told with a number.
public enum RoomChange: Sendable, Hashable {
  case seatChanged(SeatChangedData)
  case layoutChanged(LayoutChangedData)
  case seatRequested(SeatRequest)
  case seatRequestEnded(SeatEndedData)
  case seatInvited(SeatInvitation)
  case seatInvitationEnded(SeatEndedData)
  case message(RoomMessage)
  case attributesChanged(AttributesChangedData)
  /// Told to those with the `admin` grant, in both rooms.
  case pkInvited(PKInvitation)
  case pkInvitationEnded(PKInvitationEndedData)
  case pkBegan(PKInfo)
  /// A score, a mute, or who is there.
  case pkChanged(PKInfo)
  case pkEnded(PKEndedData)

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
    case .pkBegan: "pkBegan"
    case .pkChanged: "pkChanged"
    case .pkEnded: "pkEnded"
    }
  }

  /// What is told of it.
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
    case .pkBegan(let data), .pkChanged(let data): data
    case .pkEnded(let data): data
    }
  }

  /// Nil where no change has the name.
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
    case "pkBegan": self = .pkBegan(try data.read())
    case "pkChanged": self = .pkChanged(try data.read())
    case "pkEnded": self = .pkEnded(try data.read())
    default: return nil
    }
  }
}

enum EventKeys: String, CodingKey { case event, seq, data }

/// The `data` of an event that is being read.
struct EventData {
  let container: KeyedDecodingContainer<EventKeys>
  func read<Data: Decodable>() throws -> Data { try container.decode(Data.self, forKey: .data) }
}
