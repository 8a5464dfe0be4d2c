import Foundation
import RoomHTTPServer
import Logging
import NIOPosix
import RoomRTP
import RoomProtocol
import Synchronization

/// The events of all rooms: numbers them, keeps the newest, and passes them to the webhooks.
package actor EventLog: WebhookEventSink {
  private nonisolated let channel = EventChannel<ReportedEvent>()
  private nonisolated let cluster: SharedEvents?
  private let store: any EventStore
  private let settings: WebhookSettings
  private let log: Logger
  private let group: MultiThreadedEventLoopGroup?
  private var webhooks: [Webhook] = []
  private let delivered = DeliveredEvents()
  private var writing: Task<Void, Never>?
  private var takingOver: Task<Void, Never>?
  private var written = 0
  /// Events of rooms that another node owned already.
  private var refused = 0
  /// Events that could not be written to disk.
  private var unwritten = 0
  private var sincePrune = 0
  private var prunedAt = ContinuousClock.now

  /// Events written in one transaction.
  private static let batch = 512
  /// Interval at which a node of a cluster looks for events that a dead one had to deliver.
  private static let takeoverInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - path: the path of the database file; nil keeps the events in memory.
  ///   - cluster: stores the events in Redis instead; nil for a server that runs all rooms alone.
  ///   - secret: signs deliveries.
  ///   - liveKit: the form of the events for ``WebhookSettings/liveKitURLs``; nil if there are none.
  /// - Throws: if the file can't be opened, or TLS can't be set up for a webhook.
  package init(
    _ settings: WebhookSettings, path: String?, cluster: SharedEvents? = nil, secret: String, liveKit: (any WebhookForm)?,
    log: Logger
  ) async throws(EventLogError) {
    self.settings = settings
    self.log = log
    self.cluster = cluster
    group = settings.allURLs.isEmpty ? nil : MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      if let cluster {
        store = RedisEventStore(cluster, kept: settings.kept, age: settings.longestAge.milliseconds)
      } else {
        store = try SQLiteEventStore(path: path)
      }
    } catch {
      throw EventLogError(reason: "\(path ?? "the events"): \(error)")
    }
    do {
      try await store.setWebhooks(settings.allURLs)
      _ = try await prune()
      let own = OwnWebhookForm(secret: secret)
      for (index, url) in settings.allURLs.enumerated() {
        guard let group, let address = WebhookAddress(url) else { continue }
        let webhook = Webhook(
          url, address, form: index < settings.urls.count ? own : liveKit ?? own, policy: settings.policy,
          client: try WebhookClient(
            address, timeout: settings.timeout, trustedCertificates: settings.trustedCertificates, group: group), store: store,
          log: log
        ) { [delivered, channel] position, id in
          delivered.positions.withLock { $0[position] = id }
          channel.wakeUp()
        }
        webhooks.append(webhook)
        await webhook.add(try await store.pending(for: url))
      }
    } catch {
      store.close()
      throw EventLogError(reason: "\(path ?? "the events"): \(error)")
    }
    writing = Task { await self.write() }
    if store.isShared, !webhooks.isEmpty { takingOver = Task { await self.takeOver() } }
  }

  package nonisolated func tell(_ event: WebhookEvent) {
    channel.tell(ReportedEvent(event: event, title: EventTitle(event.name, fence: cluster?.fence(event.room))))
  }

  /// Returns once all events so far are stored or lost, or at the end of a time.
  package nonisolated func flush(within time: Duration) async {
    let (target, deadline) = (channel.accepted, ContinuousClock.now + time)
    while channel.completed < target, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(2)) }
  }

  private func write() async {
    for await _ in channel.wakeups {
      while true {
        let events = channel.take(Self.batch)
        guard !events.isEmpty || !delivered.positions.withLock({ $0.isEmpty }) else { break }
        await write(events)
        channel.complete(events.count)
      }
    }
  }

  private func takeOver() async {
    while (try? await Task.sleep(for: Self.takeoverInterval)) != nil {
      do { await deliver(try await store.takeOver()) } catch {
        log.debug("no events are taken over", metadata: ["reason": "\(error)"])
      }
    }
  }

  private func deliver(_ order: DeliveryOrder) async {
    guard !order.isEmpty else { return }
    for webhook in webhooks {
      for (room, events) in order.begun[webhook.url] ?? [:] { await webhook.replay(events, of: room) }
      await webhook.add(order.added)
    }
  }

  private func write(_ events: [ReportedEvent]) async {
    let places = delivered.positions.withLock { delivered in
      defer { delivered = [:] }
      return delivered
    }
    do {
      let (order, refused) = try await store.append(events, delivered: places)
      written += events.count - refused
      self.refused += refused
      await deliver(order)
      sincePrune += events.count
      // Prunes from time to time; the more events are kept, the less often.
      if sincePrune > max(64, settings.kept / 50) || prunedAt.duration(to: .now) > .seconds(60) {
        if let first = try await prune() { for webhook in webhooks { await webhook.forget(before: first) } }
      }
    } catch {
      unwritten += events.count
      log.error("events lost", metadata: ["events": "\(events.count)", "reason": "\(error)"])
    }
  }

  private func prune() async throws -> Int64? {
    sincePrune = 0
    prunedAt = .now
    return try await store.prune(keeping: settings.kept, since: WebhookEvent.now() - settings.longestAge.milliseconds)
  }

  // MARK: The API

  func events(of room: RoomName, after sequence: Int64, limit: Int) async throws -> (bodies: [Data], last: Int64)? {
    try await store.events(of: room, after: sequence, limit: limit)
  }

  func newest(_ limit: Int) async throws -> [Data] { try await store.newest(limit) }

  var hasWebhooks: Bool { !webhooks.isEmpty }

  /// Sends every webhook a room's events again, starting at a number. Returns their count; nil if the room is unknown.
  func replay(_ room: RoomName, from sequence: Int64) async throws -> Int? {
    delivered.positions.withLock { delivered in delivered = delivered.filter { $0.key.room != room } }
    guard let entries = try await store.replay(room, from: sequence) else { return nil }
    for webhook in webhooks { await webhook.replay(entries, of: room) }
    return entries.count
  }

  // MARK: Metrics

  /// The state of the deliveries to one webhook.
  package struct Delivery: Sendable {
    /// The webhook's URL without its query; with a number if another one looks alike.
    package let webhook: String
    /// Whether the last attempt failed.
    package let isFailing: Bool
    /// Events that wait.
    package let queued: Int
  }

  /// The state of the deliveries to each webhook.
  package var deliveries: [Delivery] {
    get async {
      await counters.map { Delivery(webhook: $0.0, isFailing: $0.1.isFailing, queued: $0.1.queued) }
    }
  }

  private var counters: [(String, Webhook.Counters)] {
    get async {
      var all: [(String, Webhook.Counters)] = []
      for (index, webhook) in webhooks.enumerated() {
        // Two URLs that differ only in their query are shown alike.
        let isTaken = all.contains { $0.0 == webhook.shown }
        all.append((isTaken ? "\(webhook.shown)#\(index + 1)" : webhook.shown, await webhook.counters))
      }
      return all
    }
  }

  package func addMetrics(to text: inout PrometheusText) async {
    text.add("roomserver_events_total", .counter, "Room events stored.", written)
    text.add(
      "roomserver_events_refused_total", .counter, "Room events not stored, because another node owned the room.", refused)
    text.add(
      "roomserver_events_lost_total", .counter, "Room events lost: too many at once, or a disk error.",
      channel.dropped + unwritten)
    let all = await counters
    func add<Value: CustomStringConvertible>(
      _ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (Webhook.Counters) -> Value
    ) {
      text.add("roomserver_webhook_\(name)", kind, help, label: "webhook", all.map { ($0.0, value($0.1)) })
    }
    add("delivered_total", .counter, "Events delivered to a webhook.") { $0.delivered }
    add("failures_total", .counter, "Delivery attempts not answered with 2xx.") { $0.failed }
    add("dropped_total", .counter, "Events dropped because they were too old or no longer stored.") { $0.dropped }
    add("queued", .gauge, "Events that wait for a webhook.") { $0.queued }
    add("oldest_seconds", .gauge, "Age of the oldest event that waits.") { $0.oldest }
  }

  /// Stores the events sent so far, delivers what the receivers accept at once, and closes the file.
  package func stop() async {
    takingOver?.cancel()
    channel.close()
    store.endAttempts()
    await writing?.value
    await takingOver?.value
    await withTaskGroup { tasks in
      for webhook in webhooks { tasks.addTask { await webhook.stop() } }
    }
    await write([])
    store.close()
    try? await group?.shutdownGracefully()
  }
}

/// The positions of webhooks that are not written yet.
private final class DeliveredEvents: Sendable {
  let positions = Mutex<[DeliveryPosition: Int64]>([:])
}

/// Why events can't be stored or delivered.
package struct EventLogError: Error, Sendable {
  package let reason: String
}
