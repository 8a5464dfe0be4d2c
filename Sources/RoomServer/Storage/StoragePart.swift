import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol

/// The store of the rooms and of what belongs to no room: in the data directory, or that of the cluster.
package struct StoragePart: ServerPart {
  /// Nil if the server stores nothing.
  package let store: StoreWriter?
  package let documents: any DocumentStore
  /// The rooms that were stored at the start.
  package let rooms: [RoomName]
  private let stored: Guarded<StoredServer?>

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    var backend = try await assembly.neighbours.store
    do {
      if backend == nil, let data = ground.data { backend = try SQLiteStore(path: data.privateFile(SQLiteStore.fileName)) }
      let stored = try await backend?.load() ?? StoredServer()
      ground.kicked.withLock { $0.restore(stored.kicked) }
      return Self(
        store: backend.map { StoreWriter($0, log: ground.log) }, documents: backend ?? DocumentMemory(),
        rooms: Array(stored.rooms.keys), stored: Guarded(stored))
    } catch { throw .data(reason: "\(SQLiteStore.fileName): \(error)") }
  }

  /// Returns what was stored at the start; nil for a later call.
  package func takeStored() -> StoredServer? { stored.withLock { $0.take() } }

  package func read(into readings: inout AlarmReadings) async {
    readings.store = store.map { .init(failures: $0.counters.failures, earlyAnswers: $0.counters.earlyAnswers) }
  }

  package func addMetrics(to text: inout PrometheusText) async {
    guard let store else { return }
    let counters = store.counters
    text.add("roomserver_store_waiting", .gauge, "Changes that are not written yet.", store.waiting)
    text.add("roomserver_store_writes_total", .counter, "Store transactions.", counters.writes)
    text.add("roomserver_store_rooms_total", .counter, "Rooms written in store transactions.", counters.rooms)
    text.add("roomserver_store_bytes_total", .counter, "Bytes written in store transactions.", counters.bytes)
    text.add("roomserver_store_failures_total", .counter, "Store transactions that failed and were retried.", counters.failures)
    text.add(
      "roomserver_store_lost_total", .counter, "Changes dropped because the store failed for too long.", counters.lost)
    text.add(
      "roomserver_store_early_answers_total", .counter,
      "Answers sent before their change was on disk, because the store failed or took too long.", counters.earlyAnswers)
    text.add("roomserver_store_slowest_milliseconds", .gauge, "Duration of the slowest transaction.", counters.slowest)
  }

  package func stop() async { await store?.stop() }
}
