import Foundation
import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomProtocol
import RoomRTP
import RoomWebhooks

/// The history of the server: what happened in its rooms and at its door, limited in rows and in age.
///
/// Rooms pass their events to it as to webhooks. It writes them in its own task, so that a slow disk delays no room.
actor History: WebhookEventSink {
  private enum Report: Sendable {
    case room(WebhookEvent)
    case own(HistoryEntry)
  }

  private nonisolated let channel = EventChannel<Report>()
  /// Limits refused joins, so that an attack does not displace all other events.
  private nonisolated let refusals = Guarded(TokenBucket(perSecond: 2, burst: 100, now: .now))
  private nonisolated let unrecorded = Guarded(0)
  nonisolated let store: HistoryStore
  private let rows: Int
  private let longestAge: Duration
  private let log: Logger
  private var writing: Task<Void, Never>?
  private var counting: Task<Void, Never>?
  private var written = 0
  /// Events that could not be written to disk.
  private var unwritten = 0
  private var pruned = (surplus: 0, aged: 0)
  private var sincePrune = 0
  private var prunedAt = ContinuousClock.now

  /// Events written in one transaction.
  private static let batch = 512
  /// The maximum number of rows of each kind in memory.
  private static let rowsInMemory = 10_000
  private static let countingInterval = Duration.seconds(5)

  /// - Parameters:
  ///   - path: the path of the database file; nil keeps the history in memory.
  ///   - rooms: the rooms that continue after a restart.
  /// - Throws: if the file can't be opened.
  init(_ settings: HistorySettings, path: String?, rooms: [RoomName], log: Logger) async throws {
    self.rows = path == nil ? min(settings.rows, Self.rowsInMemory) : settings.rows
    longestAge = settings.longestAge
    self.log = log
    store = try HistoryStore(path: path)
    try store.resume(rooms: Set(rooms.map(\.rawValue)))
    await prune()
    tell(HistoryEvent(.serverStarted))
    writing = Task { await self.write() }
  }

  // MARK: What happens

  nonisolated func tell(_ event: WebhookEvent) {
    guard HistoryEvent.Kind(rawValue: event.name.rawValue) != nil else { return }
    channel.tell(.room(event))
  }

  nonisolated func tell(_ event: HistoryEvent) { channel.tell(.own(HistoryEntry(event))) }

  /// Records that an encoder publishes a stream of the origin without a room.
  nonisolated func began(_ path: StreamPath, from address: String) {
    channel.tell(.own(HistoryEntry(.streamStarted, path, address: address)))
  }

  /// Records that an encoder's stream has ended.
  nonisolated func ended(_ path: StreamPath) { channel.tell(.own(HistoryEntry(.streamEnded, path))) }

  /// Records a refused join.
  /// - Parameter room: the room of the request; nil if it named none.
  nonisolated func refused(_ error: RoomError, room: RoomName?, user: UserID? = nil) {
    guard refusals.withLock({ $0.take(now: .now) }) else { return unrecorded.withLock { $0 += 1 } }
    // Any text may be in the place of a name.
    let room = room.flatMap { NameRule.allows($0) ? $0.rawValue : nil }
    tell(HistoryEvent(.joinRefused, room: room, user: user?.rawValue, reason: error.name, detail: error.message))
  }

  /// Reads the number of viewers of live streams every five seconds, for the peaks of lives.
  /// - Parameter viewers: returns the number of viewers by stream.
  func count(viewers: @escaping @Sendable () -> [StreamPath: Int]) {
    counting = Task { [store] in
      while !Task.isCancelled {
        let viewers = viewers()
        if !viewers.isEmpty { try? await store.note(viewers: viewers) }
        try? await Task.sleep(for: Self.countingInterval)
      }
    }
  }

  // MARK: Writing

  private func write() async {
    for await _ in channel.wakeups {
      while case let events = channel.take(Self.batch), !events.isEmpty { await write(events) }
    }
  }

  private func write(_ reports: [Report]) async {
    let (encoder, decoder) = (JSON.encoder(), JSONDecoder())
    let entries = reports.compactMap { report in
      switch report {
      case .room(let event): HistoryEntry(event, encoder, decoder)
      case .own(let entry): entry
      }
    }
    do {
      try await store.append(entries)
      written += entries.count
    } catch {
      unwritten += entries.count
      log.error("history lost", metadata: ["events": "\(entries.count)", "reason": "\(error)"])
    }
    sincePrune += entries.count
    // Prunes from time to time; the more rows are kept, the less often.
    if sincePrune > max(64, rows / 50) || prunedAt.duration(to: .now) > .seconds(60) { await prune() }
  }

  private func prune() async {
    sincePrune = 0
    prunedAt = .now
    do {
      let (surplus, aged) = try await store.prune(keeping: rows, since: WebhookEvent.now() - longestAge.milliseconds)
      pruned = (pruned.surplus + surplus, pruned.aged + aged)
    } catch {
      log.error("old history can't be removed", metadata: ["reason": "\(error)"])
    }
  }

  /// Stores the events so far and closes the file.
  func stop() async {
    counting?.cancel()
    tell(HistoryEvent(.serverStopped))
    channel.close()
    await writing?.value
    await counting?.value
    store.close()
  }

  // MARK: Metrics

  func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_history_events_total", .counter, "Events stored in the history.", written)
    text.add(
      "roomserver_history_dropped_total", .counter,
      "Rows of the history removed or not stored: too many, too old, lost in overload or to a disk error, or refused joins "
        + "beyond their rate.", label: "reason",
      [
        ("rows", pruned.surplus), ("age", pruned.aged), ("lost", channel.dropped + unwritten),
        ("joinRate", unrecorded.withLock { $0 }),
      ])
  }
}
