import RoomProtocol

/// The body of a delivery.
struct EventMessage: Encodable {
  enum Keys: String, CodingKey { case id, sequence, room, roomSession, event, time, data }

  let event: WebhookEvent
  let id: String
  let sequence: Int64

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(id, forKey: .id)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(event.room, forKey: .room)
    try container.encode(event.session, forKey: .roomSession)
    try container.encode(event.name.rawValue, forKey: .event)
    try container.encode(event.time, forKey: .time)
    try container.encode(event.data, forKey: .data)
  }
}
