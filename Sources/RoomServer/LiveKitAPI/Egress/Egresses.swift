import Logging
import RoomEngine
import RoomProtocol

/// The records of egresses: in the store of the server, which all nodes of a cluster read. Events of their jobs change them, at the
/// node that owns the room.
final class Egresses: WebhookEventSink {
  /// How long the record of an egress that has ended stays, in milliseconds, and how many stay at most.
  static let retention: Int64 = 24 * 3600 * 1000
  static let maximumEnded = 1000
  private static let names: Set<WebhookEvent.Name> = [
    .jobStarted, .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed, .jobEnded, .recordingReady, .recordingFailed,
  ]

  private let documents: Documents<EgressRecord>

  init(_ store: any DocumentStore, log: Logger) { documents = Documents(store, .egress, log: log) }

  // MARK: Reading

  /// Returns an egress; nil if there is none of this id.
  func record(_ id: String) async throws(TwirpError) -> EgressRecord? {
    do { return try await documents.value(id) } catch { throw TwirpError(error) }
  }

  /// All egresses, the oldest first.
  var all: [EgressRecord] {
    get async throws(TwirpError) {
      do {
        return try await documents.all.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      } catch { throw TwirpError(error) }
    }
  }

  // MARK: Changing

  /// Adds an egress, and removes old ones that have ended. Returns once that is stored.
  func add(_ record: EgressRecord) async throws(TwirpError) {
    let ended = try await all.filter(\.isOver).sorted { $0.endedAt > $1.endedAt }
    let old =
      ended.dropFirst(Self.maximumEnded).map(\.id)
      + ended.prefix(Self.maximumEnded).filter { $0.endedAt < record.createdAt - Self.retention }.map(\.id)
    do {
      for id in old { try await documents.set(nil, as: id) }
      try await documents.set(record, as: record.id)
    } catch { throw TwirpError(error) }
  }

  /// Removes an egress that did not start.
  func remove(_ id: String) async { try? await documents.set(nil, as: id) }

  /// Changes an egress. Returns it once that is stored; nil if there is none of this id.
  @discardableResult func change(
    _ id: String, _ change: @escaping @Sendable (inout EgressRecord) -> Void
  ) async throws(TwirpError) -> EgressRecord? {
    do { return try await documents.update(id, change) } catch { throw TwirpError(error) }
  }

  // MARK: Events

  /// Applies an event of a job of an egress. The room does not wait for the store.
  func tell(_ event: WebhookEvent) {
    guard Self.names.contains(event.name), let job = Self.job(of: event), let id = EgressRecord.id(of: job) else { return }
    documents.note(id) { $0.apply(event) }
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
