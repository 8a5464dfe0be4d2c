import Foundation
import RoomHTTPServer
import Logging
import NIOPosix
import RoomRTP
import RoomProtocol
import Synchronization

/// The events of all rooms: numbers them, keeps the newest, and passes them to the webhooks.
package actor EventLog {
  /// The queue that rooms send their events to.
  package nonisolated let channel: EventChannel<WebhookEvent>
  private let store: EventStore
  private let settings: WebhookSettings
  private let log: Logger
  private let group: MultiThreadedEventLoopGroup?
  private var webhooks: [Webhook] = []
  private let delivered = DeliveredEvents()
  private var writing: Task<Void, Never>?
  private var written = 0
  /// Events that could not be written to disk.
  private var unwritten = 0
  private var sincePrune = 0
  private var prunedAt = ContinuousClock.now

  /// Events written in one transaction.
  private static let batch = 512

  /// - Parameters:
  ///   - path: the path of the database file; nil keeps the events in memory.
  ///   - secret: signs deliveries.
  /// - Throws: if the file can't be opened, or TLS can't be set up for a webhook.
  package init(_ settings: WebhookSettings, path: String?, secret: String, log: Logger) async throws(EventLogError) {
    self.settings = settings
    self.log = log
    channel = EventChannel()
    group = settings.urls.isEmpty ? nil : MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      store = try EventStore(path: path)
    } catch {
      throw EventLogError(reason: "\(path ?? "the events"): \(error)")
    }
    do {
      try store.setWebhooks(settings.urls)
      _ = try await prune()
      for url in settings.urls {
        guard let group, let address = WebhookAddress(url) else { continue }
        let webhook = Webhook(
          url, address, secret: secret, policy: settings.policy,
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
  }

  private func write() async {
    for await _ in channel.wakeups {
      while true {
        let events = channel.take(Self.batch)
        guard !events.isEmpty || !delivered.positions.withLock({ $0.isEmpty }) else { break }
        await write(events)
      }
    }
  }

  private func write(_ events: [WebhookEvent]) async {
    let places = delivered.positions.withLock { delivered in
      defer { delivered = [:] }
      return delivered
    }
    do {
      let entries = try await store.append(events, delivered: places)
      written += events.count
      for webhook in webhooks where !entries.isEmpty { await webhook.add(entries) }
      sincePrune += events.count
      // Prunes from time to time; the more events are kept, the less often.
      if sincePrune > max(64, settings.kept / 50) || prunedAt.duration(to: .now) > .seconds(60) {
        let first = try await prune()
        for webhook in webhooks { await webhook.forget(before: first) }
      }
    } catch {
      unwritten += events.count
      log.error("events lost", metadata: ["events": "\(events.count)", "reason": "\(error)"])
    }
  }

  private func prune() async throws -> Int64 {
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
    channel.close()
    await writing?.value
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
  let positions = Mutex<[EventStore.DeliveryPosition: Int64]>([:])
}

/// Why events can't be stored or delivered.
package struct EventLogError: Error, Sendable {
  package let reason: String
}
