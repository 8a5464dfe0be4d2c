import Foundation
import RoomProtocol

/// An event in a store.
struct StoredEvent: Sendable, Hashable {
  /// Grows from event to event of a room.
  var id: Int64
  var room: RoomName
  /// Grows by one from event to event of the room.
  var sequence: Int64
  /// Milliseconds since 1970.
  var time: Int64
}

/// The position of a webhook in a room's events.
struct DeliveryPosition: Sendable, Hashable {
  var url: String
  var room: RoomName
}

/// An event that is not stored yet.
struct ReportedEvent: Sendable {
  var event: WebhookEvent
  /// The right to store it, in a cluster; nil if another node owned the room at the time of the event.
  var title: EventTitle?
}

/// The right to store an event in a cluster.
enum EventTitle: Sendable, Hashable {
  /// The node owned the room, by this fence.
  case room(fence: Int64)
  /// The event is about a file of the node, which outlives its room.
  case file

  init?(_ name: WebhookEvent.Name, fence: Int64?) {
    switch name {
    case .recordingReady, .recordingFailed, .recordingDeleted, .recordingFinished: self = .file
    default: if let fence { self = .room(fence: fence) } else { return nil }
    }
  }
}

/// What a store asks the webhooks to deliver.
struct DeliveryOrder: Sendable {
  /// New events of rooms that this server delivers already.
  var added: [StoredEvent] = []
  /// By URL: the rooms that this server delivers from now on, with all events that the webhook has not received.
  var begun: [String: [RoomName: [StoredEvent]]] = [:]

  var isEmpty: Bool { added.isEmpty && begun.isEmpty }
}

/// The body of an event for its delivery.
enum EventBody: Sendable, Hashable {
  case json(Data)
  /// The event is not stored any more.
  case gone
  /// Another server delivers the room's events.
  case elsewhere
}

/// The newest events of rooms, numbered per room, and the position of each webhook.
protocol EventStore: Sendable {
  /// Whether several servers use the store. A server then looks for rooms that a dead one left (``takeOver()``).
  var isShared: Bool { get }

  /// Replaces the set of webhooks. A new one starts with the next event.
  func setWebhooks(_ urls: [String]) async throws

  /// Numbers and stores events, and stores the positions of webhooks.
  /// - Returns: what to deliver, and the count of events that were refused, because another server owns their room.
  func append(
    _ events: [ReportedEvent], delivered: [DeliveryPosition: Int64]
  ) async throws -> (order: DeliveryOrder, refused: Int)

  /// Returns the events that a webhook has not received yet, of the rooms that this server delivers, oldest first.
  func pending(for url: String) async throws -> [StoredEvent]

  /// Returns the rooms whose events a dead server had to deliver. This server delivers them from now on.
  func takeOver() async throws -> DeliveryOrder

  func body(of id: Int64, in room: RoomName) async throws -> EventBody

  /// Returns the events of a room after a number, oldest first, and the room's last number; nil if no event of the room is
  /// stored.
  func events(of room: RoomName, after sequence: Int64, limit: Int) async throws -> (bodies: [Data], last: Int64)?

  /// Returns the newest events of all rooms, oldest first.
  func newest(_ limit: Int) async throws -> [Data]

  /// Returns the events of a room starting at a number, which every webhook receives again; nil if no event of the room is
  /// stored.
  func replay(_ room: RoomName, from sequence: Int64) async throws -> [StoredEvent]?

  /// Deletes all but the newest `count` events, and those before `time`. Returns the id of the first remaining one; nil if the
  /// store deletes by itself.
  func prune(keeping count: Int, since time: Int64) async throws -> Int64?

  /// Ends attempts to repeat what failed.
  func endAttempts()

  func close()
}
