import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomServer

/// The records of egresses: in the store of the server, which all nodes of a cluster read. Events of their jobs change them, at the
/// node that owns the room.
final class Egresses: WebhookEventSink {
  /// How long the record of an egress that has ended stays, in milliseconds, and how many stay at most.
  static let retention: Int64 = 24 * 3600 * 1000
  static let maximumEnded = 1000
  private static let names: Set<WebhookEvent.Name> = [
    .jobStarted, .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed, .jobEnded, .recordingReady, .recordingFailed,
  ]

  private struct Owner {
    weak var jobs: (any EgressJobs)?
    var isAlone = true
  }

  private let documents: Documents<EgressRecord>
  private let owner = Guarded(Owner())
  private let log: Logger

  init(_ store: any DocumentStore, log: Logger) {
    documents = Documents(store, .egress, log: log)
    self.log = log
  }

  private var jobs: (any EgressJobs)? { owner.withLock { $0.jobs } }

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
    if event.name == .roomRestored { return restored(event) }
    guard Self.names.contains(event.name), let job = Self.job(of: event), let id = EgressRecord.id(of: job) else { return }
    documents.note(id) { $0.apply(event) }
  }

  private func restored(_ event: WebhookEvent) {
    guard let jobs, owner.withLock({ !$0.isAlone }) else { return }
    Task { await settle(jobs, event.room, before: event.time) }
  }

  private static func job(of event: WebhookEvent) -> JobID? {
    switch event.data {
    case let job as JobInfo: job.jobId
    case let ended as JobEndedData: ended.jobId
    case let recording as RecordingInfo: recording.job.map { JobID($0) }
    default: nil
    }
  }

  // MARK: After a kill

  /// Takes the jobs of the rooms, once this server has restored its rooms.
  /// - Parameter isAlone: whether it runs all rooms. Then egresses without a room have ended, too. A node of a cluster looks at the
  ///   egresses of each room that it takes over.
  func begin(_ jobs: any EgressJobs, isAlone: Bool) async {
    owner.withLock { $0 = Owner(jobs: jobs, isAlone: isAlone) }
    if isAlone { await settle(jobs, nil, before: WebhookEvent.now()) }
  }

  /// Completes what a killed server left unfinished: reports the ends of jobs that were not reported, and stops the jobs of egresses
  /// that were about to stop. Returns once that is stored.
  /// - Parameter room: nil for all rooms.
  private func settle(_ jobs: any EgressJobs, _ room: RoomName?, before time: Int64) async {
    do {
      for record in try await all where record.createdAt < time && (room == nil || record.room == room) {
        try await settle(record, jobs)
      }
      try await documents.settled()
    } catch { log.error("the state of egresses may be wrong", metadata: ["reason": "\(error)"]) }
  }

  private func settle(_ record: EgressRecord, _ jobs: any EgressJobs) async throws(TwirpError) {
    var gone: Set<JobID> = []
    for output in record.outputs where !output.isOver {
      if await !jobs.runs(output.job, in: record.room) {
        gone.insert(output.job)
      } else if record.isStopping {
        await jobs.stop(output.job, in: record.room)
      }
    }
    // Behind the events of jobs that have just ended.
    guard !gone.isEmpty, let now = try await change(record.id, { _ in }) else { return }
    for output in now.outputs where !output.isOver && gone.contains(output.job) { jobs.report(now.lostEnd(of: output.job)) }
  }

  /// Stops the jobs of an egress that is to stop, and reports the ends that were not reported. Returns once that is stored.
  func settle(_ id: String) async throws(TwirpError) {
    guard let jobs, let record = try await record(id), !record.isOver else { return }
    try await settle(record, jobs)
    do { try await documents.settled() } catch { throw TwirpError(error) }
  }

  // MARK: Metrics

  func addMetrics(to text: inout PrometheusText) {
    text.add(
      "roomserver_egress_changes_lost_total", .counter,
      "Events of jobs that are missing in the state of egresses: too many at once, or the store did not answer.", documents.lost
    )
  }

  // MARK: Reports

  /// Returns whether a job of an egress is writing a file that is going to be reported: one without content is not.
  func isWriting(_ record: EgressRecord) -> Bool {
    guard let jobs else { return false }
    return record.outputs.contains { output in
      guard let bytes = jobs.bytesWritten(by: output.job, in: record.room) else { return false }
      // The first content may not be on disk yet.
      return bytes > 0 || output.startedAt > 0 && output.files.isEmpty
    }
  }

  /// Returns whether an egress lists all files of its jobs that have ended. A file ends a moment before its event is applied.
  func listsAllFiles(_ record: EgressRecord) -> Bool {
    guard let jobs else { return true }
    return record.outputs.allSatisfy { output in
      jobs.endedFiles(of: output.job, in: record.room).isSubset(of: output.files.map(\.name))
    }
  }

  /// Makes an event the one that reports the end of an egress. Returns the egress; nil if another event reports it.
  func reportEnd(of id: String, by event: String) async throws(TwirpError) -> EgressRecord? {
    let record = try await change(id) { $0.endReport = $0.endReport ?? event }
    return record?.endReport == event ? record : nil
  }
}
