import RoomProtocol

/// Passes events to two sinks.
struct EventTee: WebhookEventSink {
  private let first: any WebhookEventSink
  private let second: any WebhookEventSink

  init(_ first: any WebhookEventSink, _ second: any WebhookEventSink) { (self.first, self.second) = (first, second) }

  func tell(_ event: WebhookEvent) {
    first.tell(event)
    second.tell(event)
  }
}
