import Foundation
import Logging
import RoomEngine
import RoomLinux
import RoomProtocol

/// The records of egresses: in the store of the server, which all nodes of a cluster read. Events of their jobs change them, at the
/// node that owns the room.
final class Egresses: WebhookEventSink {
  /// How long the record of an egress that has ended stays, in milliseconds, and how many stay at most.
  static let retention: Int64 = 24 * 3600 * 1000
  static let maximumEnded = 1000
  /// How often a failed write is tried again, and the time between two attempts.
  private static let attempts = 20
  private static let pause = Duration.milliseconds(500)
  private static let names: Set<WebhookEvent.Name> = [
    .jobStarted, .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed, .jobEnded, .recordingReady, .recordingFailed,
  ]

  private let store: any DocumentStore
  private let log: Logger
  /// Changes are made one after the other.
  private let work = Guarded(OrderedWork())

  init(_ store: any DocumentStore, log: Logger) {
    self.store = store
    self.log = log
  }

  // MARK: Reading

  /// Returns an egress; nil if there is none of this id.
  func record(_ id: String) async throws(TwirpError) -> EgressRecord? {
    do { return try await store.document(.egress, id).flatMap { Self.decode($0) } } catch { throw Self.unavailable(error) }
  }

  /// All egresses, the oldest first.
  var all: [EgressRecord] {
    get async throws(TwirpError) {
      do {
        return try await store.documents(.egress).values.compactMap { Self.decode($0) }
          .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      } catch { throw Self.unavailable(error) }
    }
  }

  private static func decode(_ data: Data) -> EgressRecord? { try? JSONDecoder().decode(EgressRecord.self, from: data) }

  private static func unavailable(_ error: any Error) -> TwirpError {
    TwirpError(.unavailable, "the store of the server does not answer: \(error)")
  }

  // MARK: Changing

  /// Adds an egress, and removes old ones that have ended. Returns once that is stored.
  func add(_ record: EgressRecord) async throws(TwirpError) {
    let ended = try await all.filter(\.isOver).sorted { $0.endedAt > $1.endedAt }
    let old =
      ended.dropFirst(Self.maximumEnded).map(\.id)
      + ended.prefix(Self.maximumEnded).filter { $0.endedAt < record.createdAt - Self.retention }.map(\.id)
    let result = await inOrder { [store] () -> TwirpError? in
      do {
        for id in old { try await store.set(nil, .egress, id) }
        try await store.set(try JSONEncoder().encode(record), .egress, record.id)
        return nil
      } catch { return Self.unavailable(error) }
    }
    if let result { throw result }
  }

  /// Removes an egress that did not start.
  func remove(_ id: String) async { await inOrder { [store] in try? await store.set(nil, .egress, id) } }

  /// Changes an egress. Returns it once that is stored; nil if there is none of this id.
  @discardableResult func change(
    _ id: String, _ change: @escaping @Sendable (inout EgressRecord) -> Void
  ) async throws(TwirpError) -> EgressRecord? {
    let result = await inOrder { [store] () -> Result<EgressRecord?, TwirpError> in
      do { return .success(try await Self.change(id, in: store, change)) } catch { return .failure(Self.unavailable(error)) }
    }
    return try result.get()
  }

  private static func change(
    _ id: String, in store: any DocumentStore, _ change: (inout EgressRecord) -> Void
  ) async throws -> EgressRecord? {
    guard let old = try await store.document(.egress, id).flatMap({ decode($0) }) else { return nil }
    var record = old
    change(&record)
    if record != old { try await store.set(try JSONEncoder().encode(record), .egress, id) }
    return record
  }

  private func inOrder<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      work.withLock { $0.add { continuation.resume(returning: await body()) } }
    }
  }

  // MARK: Events

  /// Applies an event of a job of an egress. The room does not wait for the store.
  func tell(_ event: WebhookEvent) {
    guard Self.names.contains(event.name), let job = Self.job(of: event), let id = EgressRecord.id(of: job) else { return }
    work.withLock { work in
      work.add { [store, log] in
        for attempt in 1...Self.attempts {
          do {
            _ = try await Self.change(id, in: store) { $0.apply(event) }
            return
          } catch {
            guard attempt < Self.attempts, (try? await Task.sleep(for: Self.pause)) != nil else {
              return log.error("the state of an egress is lost", metadata: ["egress": "\(id)", "reason": "\(error)"])
            }
          }
        }
      }
    }
  }

  private static func job(of event: WebhookEvent) -> JobID? {
    switch event.data {
    case let job as JobInfo: job.jobId
    case let ended as JobEndedData: ended.jobId
    case let recording as RecordingInfo: recording.job.map { JobID($0) }
    default: nil
    }
  }

  /// Ends the egresses whose jobs ended without an event, because the server was killed.
  /// - Parameter runs: returns whether a room has a job.
  func settle(runs: @Sendable (RoomName, JobID) async -> Bool) async {
    for record in (try? await all) ?? [] where !record.isOver {
      for output in record.outputs where !output.isOver {
        guard await !runs(record.room, output.job) else { continue }
        let ended = WebhookEvent(
          room: record.room, session: "", name: .jobEnded, data: JobEndedData(jobId: output.job, reason: .roomClosed))
        _ = try? await change(record.id) { $0.apply(ended) }
      }
    }
  }
}
