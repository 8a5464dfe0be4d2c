import RoomProtocol
import RoomCLinux
import Foundation
import Logging

/// Delivers the events of all rooms to one receiver.
actor Webhook {
  /// The results of its deliveries since the start.
  struct Counters: Sendable {
    var delivered = 0
    /// Attempts that were not answered with 2xx.
    var failed = 0
    /// Events dropped because they were too old or no longer stored.
    var dropped = 0
    /// Events that wait, including those in flight.
    var queued = 0
    /// The time in seconds that the oldest of them has waited.
    var oldest = 0.0
    /// Whether the last attempt failed.
    var isFailing = false
  }

  nonisolated let url: String
  nonisolated let shown: String
  private let form: any WebhookForm
  private let client: WebhookClient
  private let store: any EventStore
  /// Called for each delivered event.
  private let delivered: @Sendable (DeliveryPosition, Int64) -> Void
  private let log: Logger
  private var outbox: Outbox
  private var deliveries = 0
  private var failures = 0
  private var loggedDrops = 0
  /// Whether the last deliveries failed, in any room.
  private var isFailing = false
  private var isStopped = false
  private var timer: Task<Void, Never>?
  private var timerDue: Int64?

  init(
    _ url: String, _ address: WebhookAddress, form: any WebhookForm, policy: Outbox.Policy, client: WebhookClient,
    store: any EventStore,
    log: Logger, delivered: @escaping @Sendable (DeliveryPosition, Int64) -> Void
  ) {
    self.url = url
    shown = address.shown
    self.form = form
    self.client = client
    self.store = store
    self.delivered = delivered
    outbox = Outbox(policy)
    var log = log
    log[metadataKey: "webhook"] = "\(address.shown)"
    self.log = log
  }

  private static var now: Int64 { linux_now_us() / 1000 }

  /// Adds events to deliver, the newest of their rooms.
  func add(_ entries: [StoredEvent]) {
    let now = Self.now
    for entry in entries { outbox.add(entry.id, of: entry.room, age: Self.age(entry), at: now) }
    pump()
  }

  func replay(_ entries: [StoredEvent], of room: RoomName) {
    outbox.replay(entries.map { ($0.id, Self.age($0)) }, of: room, at: Self.now)
    pump()
  }

  /// Drops the events before this one, because they are no longer stored.
  func forget(before id: Int64) {
    outbox.forget(before: id)
    tellDrops()
  }

  private static func age(_ entry: StoredEvent) -> Int64 { max(0, WebhookEvent.now() - entry.time) }

  private func pump() {
    guard !isStopped else { return }
    while let delivery = outbox.next(at: Self.now) { Task { await self.deliver(delivery) } }
    tellDrops()
    arm()
  }

  private func arm() {
    guard timerDue != outbox.nextDeadline else { return }
    timerDue = outbox.nextDeadline
    timer?.cancel()
    timer = timerDue.map { due in
      Task { [weak self] in
        guard (try? await Task.sleep(for: .milliseconds(max(1, due - Self.now)))) != nil else { return }
        await self?.isDue()
      }
    }
  }

  private func isDue() {
    timerDue = nil
    pump()
  }

  private func deliver(_ delivery: Outbox.Delivery) async {
    let outcome: WebhookClient.Outcome
    defer { pump() }
    do {
      let event: [UInt8]
      switch try await store.body(of: delivery.id, in: delivery.room) {
      case .json(let body): event = [UInt8](body)
      case .gone:
        // Already deleted from the store; the outbox would be notified in a moment.
        outbox.drop(delivery)
        return
      case .elsewhere:
        outbox.release(delivery)
        return
      }
      let requests = try await form.requests(for: event)
      guard !requests.isEmpty else { return finish(delivery, succeeded: true) }
      outcome = await post(requests)
    } catch {
      outcome = .failed("the event can't be sent: \(error)")
    }
    if outcome.succeeded { deliveries += 1 } else { failures += 1 }
    tell(outcome)
    finish(delivery, succeeded: outcome.succeeded)
  }

  /// Posts the requests of one event, up to the first that fails.
  private func post(_ requests: [WebhookRequest]) async -> WebhookClient.Outcome {
    var outcome = WebhookClient.Outcome.status(204)
    for request in requests where outcome.succeeded { outcome = await client.post(request) }
    return outcome
  }

  private func finish(_ delivery: Outbox.Delivery, succeeded: Bool) {
    let goesOn = outbox.finished(delivery, succeeded: succeeded, at: Self.now, random: .random(in: 0...1))
    if goesOn { delivered(DeliveryPosition(url: url, room: delivery.room), delivery.id) }
  }

  /// Logs one line when deliveries start to fail, and one when they succeed again.
  private func tell(_ outcome: WebhookClient.Outcome) {
    guard isFailing == outcome.succeeded else { return }
    isFailing.toggle()
    if isFailing {
      log.warning("webhook fails", metadata: ["outcome": "\(outcome)", "queued": "\(outbox.queued)"])
    } else {
      log.info("webhook works again", metadata: ["queued": "\(outbox.queued)"])
    }
  }

  private func tellDrops() {
    guard outbox.dropped > loggedDrops else { return }
    log.warning("events dropped", metadata: ["events": "\(outbox.dropped - loggedDrops)", "all": "\(outbox.dropped)"])
    loggedDrops = outbox.dropped
  }

  var counters: Counters {
    Counters(
      delivered: deliveries, failed: failures, dropped: outbox.dropped, queued: outbox.queued,
      oldest: Double(outbox.oldestAge(at: Self.now) ?? 0) / 1000, isFailing: isFailing)
  }

  /// Delivers what the receiver accepts at once, for at most two seconds; the rest waits in the store.
  func stop() async {
    let deadline = Self.now + 2000
    while !outbox.isIdle, Self.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    isStopped = true
    timer?.cancel()
    client.close()
  }
}
