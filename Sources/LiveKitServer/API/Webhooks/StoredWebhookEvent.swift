import Foundation
import RoomProtocol
import RoomServer

/// An event of a room as it is stored and delivered.
struct StoredWebhookEvent {
  private struct Head: Decodable {
    let id: String
    let room: RoomName
    let roomSession: String
    let event: String
    let time: Int64
  }

  private struct Body<Data: Decodable>: Decodable { let data: Data }

  let id: String
  let room: RoomName
  let name: WebhookEvent.Name
  /// Milliseconds since 1970.
  let time: Int64
  /// When the room was created: its session is this number; nil for an event without a session.
  let roomCreatedAt: Int64?
  private let json: Data

  /// Returns nil for an event that this version does not know.
  init?(_ json: Data) throws {
    let head = try JSONDecoder().decode(Head.self, from: json)
    guard let name = WebhookEvent.Name(rawValue: head.event) else { return nil }
    (id, room, self.name, time, self.json) = (head.id, head.room, name, head.time, json)
    roomCreatedAt = head.roomSession.hasPrefix("RS_") ? Int64(head.roomSession.dropFirst(3), radix: 36) : nil
  }

  /// The event's data.
  func data<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Body<Value>.self, from: json).data
  }
}
