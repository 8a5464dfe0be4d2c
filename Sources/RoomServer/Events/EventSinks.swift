import RoomProtocol

/// Passes the events of rooms to all parts that receive them.
struct EventSinks: WebhookEventSink {
  private let sinks: [any WebhookEventSink]

  init(_ sinks: [any WebhookEventSink]) { self.sinks = sinks }

  func tell(_ event: WebhookEvent) { for sink in sinks { sink.tell(event) } }
}

/// A part that receives the events of rooms.
package protocol EventSinkPart: ServerPart {
  var sink: any WebhookEventSink { get }
}

extension Assembly {
  /// All receivers of events.
  var eventSinks: [any WebhookEventSink] {
    get async throws(StartError) {
      try await parts { $0 is any EventSinkPart.Type }.compactMap { ($0 as? any EventSinkPart)?.sink }
    }
  }
}
