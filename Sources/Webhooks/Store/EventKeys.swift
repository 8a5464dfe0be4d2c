import RoomProtocol

/// The keys of events in Redis. The keys have the hash tag of ``ClusterKeys``.
enum EventKeys {
  /// A stream of the newest events of all rooms.
  static let newest = "{roomserver}:events"
  /// The incarnations that deliver events, dead ones included.
  static let deliverers = "{roomserver}:deliverers"
  /// The rooms with events that an incarnation has to deliver; followed by its text.
  static let delivering = "{roomserver}:delivering:"

  /// A stream of the room's events by their numbers.
  static func events(of room: RoomName) -> String { "{roomserver}:{\(room)}:events" }
  /// A hash: the number of the last event, the incarnation that delivers, and the position of each webhook.
  static func delivery(of room: RoomName) -> String { "{roomserver}:{\(room)}:delivery" }
}
