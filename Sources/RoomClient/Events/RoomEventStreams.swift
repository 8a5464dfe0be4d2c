import RoomProtocol

/// The event streams of a room: one of all events, and one for each of its parts.
struct RoomEventStreams: Sendable {
  let all: Topic<RoomEvent>
  let seats: Topic<SeatEvent>
  let pk: Topic<PKEvent>
  let messages: Topic<RoomMessage>
  let attributes: Topic<AttributeEvent>
  let jobs: Topic<JobEvent>

  /// - Parameter backlog: the number of events that each stream buffers.
  init(backlog: Int) {
    all = Topic(backlog: backlog) { $0 }
    seats = Topic(backlog: backlog) { SeatEvent($0) }
    pk = Topic(backlog: backlog) { PKEvent($0) }
    messages = Topic(backlog: backlog) { if case .message(let message) = $0 { message } else { nil } }
    attributes = Topic(backlog: backlog) { AttributeEvent($0) }
    jobs = Topic(backlog: backlog) { JobEvent($0) }
  }

  func send(_ event: RoomEvent) {
    all.send(event)
    seats.send(event)
    pk.send(event)
    messages.send(event)
    attributes.send(event)
    jobs.send(event)
  }

  func finish() {
    all.finish()
    seats.finish()
    pk.finish()
    messages.finish()
    attributes.finish()
    jobs.finish()
  }

  /// The streams of one kind of events.
  struct Topic<Event: Sendable>: Sendable {
    private let fan: Broadcaster<Event>
    private let backlog: Int
    private let pick: @Sendable (RoomEvent) -> Event?

    /// - Parameter pick: returns nil for an event that does not belong to the topic.
    fileprivate init(backlog: Int, pick: @escaping @Sendable (RoomEvent) -> Event?) {
      fan = Broadcaster(openingBacklog: backlog)
      self.backlog = backlog
      self.pick = pick
    }

    /// Returns a new stream. The first one also has the events since the join.
    func stream() -> AsyncStream<Event> { fan.takeOpening() ?? watch() }
    /// Like `stream`, but leaves the earlier events to the first reader.
    func watch() -> AsyncStream<Event> { fan.stream(backlog: backlog) }

    fileprivate func send(_ event: RoomEvent) { if let event = pick(event) { fan.send(event) } }
    fileprivate func finish() { fan.finish() }
  }
}
