import Foundation
import Logging
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomRelay
import RoomTestSupport
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("Egresses")
struct EgressTests {
  private func record(_ outputs: Int = 1) -> EgressRecord {
    var record = EgressRecord(
      id: "EG_a", room: "demo", roomName: "demo", roomID: "RM_a", request: [], outputs: [], createdAt: 1, updatedAt: 1)
    for number in 0..<outputs {
      record.outputs.append(
        EgressRecord.Output(job: record.nextJob, kind: .stream(id: "", url: "rtmp://h/app/a-long-secret\(number)")))
    }
    return record
  }

  private func event(_ name: WebhookEvent.Name, at time: Int64, _ data: any Encodable & Sendable) -> WebhookEvent {
    WebhookEvent(room: "demo", session: "RS_a", name: name, time: time, data: data)
  }

  private func running(_ job: JobID, onAir: Bool = true, _ state: JobState = .connected) -> JobInfo {
    JobInfo(jobId: job, kind: .merge, state: state, onAir: onAir)
  }

  @Test("an egress starts, is active, and ends with its last job") func life() {
    var record = record(2)
    #expect(record.outputs.map(\.job) == ["EG_a.1", "EG_a.2"] && record.status == .starting)
    record.apply(event(.jobOnAir, at: 5, running("EG_a.1", .connecting)))
    #expect(record.status == .starting)
    record.apply(event(.jobConnected, at: 10, running("EG_a.1")))
    record.apply(event(.jobConnected, at: 12, running("EG_a.2")))
    #expect(record.status == .active && record.info.startedAt == 10_000_000)
    record.apply(event(.jobReconnecting, at: 15, running("EG_a.1", .autoReconnecting)))
    #expect(record.info.streamResults.map(\.retries) == [1, 0])
    record.isStopping = true
    #expect(record.status == .ending)
    record.apply(event(.jobEnded, at: 20, JobEndedData(jobId: "EG_a.2", reason: .stopped)))
    #expect(record.status == .ending && record.info.streamResults.map(\.status) == [.active, .finished])
    record.apply(event(.jobEnded, at: 21, JobEndedData(jobId: "EG_a.1", reason: .stopped)))
    record.apply(event(.jobEnded, at: 30, JobEndedData(jobId: "EG_a.1", reason: .failed)))
    #expect(record.status == .complete && record.info.endedAt == 21_000_000)
    #expect(record.info.streamResults.allSatisfy { !$0.url.contains("secret") })
  }

  @Test("its end is reported once: with its last job, or with its last file if that comes later", arguments: [false, true])
  func reports(isFileLast: Bool) throws {
    var record = record()
    record.outputs.append(EgressRecord.Output(job: record.nextJob, kind: .file("a.mp4")))
    let facts =
      #"{"name":"a.mp4","owner":{"room":"demo","session":"RS_a","job":"EG_a.2"},"state":"ready","startedAt":12,"size":9}"#
    let file = RecordingInfo(try JSONDecoder().decode(RecordingFacts.self, from: Data(facts.utf8)))
    // Two jobs that end in the same millisecond, in any order.
    var events: [(WebhookEvent.Name, JobID, Int64, any Encodable & Sendable)] = [
      (.jobStarted, "EG_a.1", 2, running("EG_a.1", onAir: false)), (.jobStarted, "EG_a.2", 2, running("EG_a.2", onAir: false)),
      (.jobOnAir, "EG_a.1", 10, running("EG_a.1")), (.jobOnAir, "EG_a.2", 11, running("EG_a.2")),
      (.jobEnded, "EG_a.2", 20, JobEndedData(jobId: "EG_a.2", reason: .stopped)),
      (.jobEnded, "EG_a.1", 20, JobEndedData(jobId: "EG_a.1", reason: .stopped)),
    ]
    events.insert((.recordingReady, "EG_a.2", isFileLast ? 21 : 19, file), at: isFileLast ? 6 : 4)
    // Each is reported at its time, or all of them later.
    for event in events { record.apply(self.event(event.0, at: event.2, event.3)) }
    let reports = events.map { EgressReport($0.0, of: $0.1, at: $0.2, in: record, isWriting: false) }
    #expect(reports.first == .started && reports.compactMap(\.self).count { $0 == .ended } == 1)
    #expect(reports.last == .ended && reports.count { $0 == .started } == 1)
    // A file and its job may end in the same millisecond, in any order: nothing follows the report of the end.
    var both = self.record()
    both.outputs = [EgressRecord.Output(job: "EG_a.2", kind: .file("a.mp4"))]
    for (name, data) in [(.recordingReady, file), (.jobEnded, JobEndedData(jobId: "EG_a.2", reason: .stopped))]
      as [(WebhookEvent.Name, any Encodable & Sendable)]
    {
      both.apply(self.event(name, at: 20, data))
    }
    for name in [WebhookEvent.Name.recordingReady, .jobEnded] {
      #expect(EgressReport(name, of: "EG_a.2", at: 20, in: both, isWriting: false) == .ended)
    }
    // The end of a job waits for its file.
    #expect(EgressReport(.jobEnded, of: "EG_a.1", at: 20, in: record, isWriting: true) == .updated)
    // A job that continues after a restart starts again.
    record = self.record()
    for time in [Int64(2), 30] { record.apply(event(.jobStarted, at: time, running("EG_a.1", onAir: false))) }
    #expect(EgressReport(.jobStarted, of: "EG_a.1", at: 2, in: record, isWriting: false) == .started)
    #expect(EgressReport(.jobStarted, of: "EG_a.1", at: 30, in: record, isWriting: false) == .updated)
  }

  @Test("it fails if all outputs fail, and is aborted if it is stopped before it is active") func failures() {
    let failure = JobFailure(cause: .refused, message: "nothing listens there")
    for (reason, status) in [(JobEndReason.failed, LiveKit.EgressStatus.failed), (.stopped, .aborted)] {
      var record = record()
      record.apply(event(.jobEnded, at: 9, JobEndedData(jobId: "EG_a.1", reason: reason, failure: failure)))
      #expect(record.status == status && record.info.streamResults.first?.error == "nothing listens there")
      #expect((record.info.error == "nothing listens there") == (status == .failed))
    }
  }

  @Test("a file's path is a name in the one directory") func paths() throws {
    func names(_ path: String, _ type: LiveKit.EncodedFileType = .mp4) throws -> [EgressDestination] {
      try EgressDestination.all(
        of: .participant(
          LiveKit.ParticipantEgressRequest {
            ($0.roomName, $0.identity) = ("the room", "ann")
            $0.fileOutputs = [LiveKit.EncodedFileOutput { ($0.filepath, $0.fileType) = (path, type) }]
          }), at: 1_700_000_000_000)
    }
    for (path, name) in [
      ("a.mp4", "a.mp4"), ("/etc/../x", "etc-..-x.mp4"), ("../../a/b.mp4", "a-b.mp4"), ("ü.flv", "-.flv"),
      ("shows/{room_name}-{publisher_identity}.mp4", "shows-the-room-ann.mp4"), (String(repeating: "x", count: 300), ""),
    ] {
      guard case .file(let file)? = try names(path).first else {
        Issue.record("\(path) is no file")
        continue
      }
      #expect(name.isEmpty ? file.description.utf8.count <= 128 : file.description == name, "\(path): \(file)")
    }
    guard case .file(let unnamed)? = try names("").first else {
      Issue.record("no file")
      return
    }
    #expect("\(unnamed)".hasPrefix("the-room-2023-11-14T") && "\(unnamed)".hasSuffix(".mp4"))
    #expect(throws: TwirpError.self) { try names("a.ogg") }
    #expect(throws: TwirpError.self) { try names("a", .mp3) }
  }

  @Test("a stream goes out by RTMP or SRT, by the protocol of its URL") func streams() throws {
    func destinations(_ url: String, _ wanted: LiveKit.StreamProtocol) throws -> [EgressDestination] {
      try EgressDestination.all(
        of: .roomComposite(
          LiveKit.RoomCompositeEgressRequest {
            $0.roomName = "demo"
            $0.streamOutputs = [LiveKit.StreamOutput { ($0.protocolNumber, $0.urls) = (wanted, [url]) }]
          }), at: 0)
    }
    let (rtmp, srt) = ("rtmps://a/live/x", "srt://a:9000?streamid=live/x")
    for (url, wanted) in [(rtmp, .defaultProtocol), (rtmp, .rtmp), (srt, .defaultProtocol), (srt, .srt)]
      as [(String, LiveKit.StreamProtocol)]
    {
      #expect(try destinations(url, wanted) == [.stream(id: "", url: url)])
    }
    for (url, wanted) in [(rtmp, .srt), (srt, .rtmp), ("srt://a", .srt), ("file:a.mp4", .defaultProtocol)]
      as [(String, LiveKit.StreamProtocol)]
    {
      #expect(throws: TwirpError.self) { try destinations(url, wanted) }
    }
  }

  @Test("records are written in order, and old ones removed") func records() async throws {
    let egresses = Egresses(DocumentMemory(), log: Logger(label: "test"))
    try await egresses.add(record())
    egresses.tell(event(.jobConnected, at: 10, running("EG_a.1")))
    egresses.tell(event(.jobConnected, at: 10, running("auto")))
    egresses.tell(event(.jobEnded, at: 20, JobEndedData(jobId: "EG_a.1", reason: .roomClosed)))
    // Follows the events.
    let changed = try await egresses.change("EG_a") { $0.layout = "grid" }
    #expect(changed?.status == .complete && changed?.layout == "grid")
    #expect(try await egresses.change("EG_b") { $0.layout = "grid" } == nil)
    let later = EgressRecord(
      id: "EG_c", room: "demo", roomName: "demo", roomID: "RM_a", request: [], outputs: record().outputs,
      createdAt: 30 + Egresses.retention, updatedAt: 0)
    try await egresses.add(later)
    #expect(try await egresses.all.map(\.id) == ["EG_c"])
  }

  /// Jobs of which some run; it keeps what is done with them.
  private final class FakeJobs: EgressJobs {
    private let running: Set<JobID>
    private let egresses: Egresses
    let stopped = Shared<[JobID]>([])
    let reported = Shared<[WebhookEvent]>([])

    init(_ running: Set<JobID>, _ egresses: Egresses) { (self.running, self.egresses) = (running, egresses) }

    func runs(_ job: JobID, in room: RoomName) -> Bool { running.contains(job) }
    func stop(_ job: JobID, in room: RoomName) { stopped.withLock { $0.append(job) } }
    func bytesWritten(by job: JobID, in room: RoomName) -> Int64? { job == "EG_run.1" ? 0 : nil }
    func endedFiles(of job: JobID, in room: RoomName) -> Set<String> { job == "EG_run.1" ? ["a.mp4"] : [] }
    func report(_ event: WebhookEvent) {
      reported.withLock { $0.append(event) }
      egresses.tell(event)
    }
  }

  @Test("after a kill, ends that were not reported are, and an egress that was to stop stops") func kill() async throws {
    let egresses = Egresses(DocumentMemory(), log: Logger(label: "test"))
    for (id, isStopping) in [("EG_run", false), ("EG_stop", true), ("EG_lost", false), ("EG_done", true)] {
      var record = EgressRecord(
        id: id, room: "demo", roomName: "demo", roomID: "RM_a", session: "RS_a", request: [], outputs: [], createdAt: 1,
        updatedAt: 1)
      record.outputs.append(EgressRecord.Output(job: record.firstJob, kind: .file("a.mp4")))
      record.apply(event(.jobOnAir, at: 5, running(record.firstJob)))
      record.isStopping = isStopping
      try await egresses.add(record)
    }
    let jobs = FakeJobs(["EG_run.1", "EG_stop.1"], egresses)
    await egresses.begin(jobs, isAlone: true)
    #expect(try await egresses.all.map(\.status) == [.complete, .complete, .active, .ending])
    #expect(jobs.stopped.value == ["EG_stop.1"])
    #expect(jobs.reported.value.allSatisfy { $0.session == "RS_a" && $0.name == .jobEnded })
    let ends = jobs.reported.value.compactMap { $0.data as? JobEndedData }
    #expect(Set(ends.map(\.jobId)) == ["EG_done.1", "EG_lost.1"])
    #expect(ends.allSatisfy { $0.reason == ($0.jobId == "EG_done.1" ? .stopped : .roomClosed) })
    // One event reports the end, whenever it is sent again.
    for (event, isOwn) in [("ev_1", true), ("ev_2", false), ("ev_1", true)] {
      #expect((try await egresses.reportEnd(of: "EG_done", by: event) != nil) == isOwn)
    }
    // A file without content is only waited for if it is the first one.
    var record = try #require(try await egresses.record("EG_run"))
    #expect(egresses.isWriting(record) && !egresses.listsAllFiles(record))
    let facts =
      #"{"name":"a.mp4","owner":{"room":"demo","session":"RS_a","job":"EG_run.1"},"state":"failed","startedAt":12,"size":9}"#
    let file = RecordingInfo(try JSONDecoder().decode(RecordingFacts.self, from: Data(facts.utf8)))
    record.apply(event(.recordingFailed, at: 20, file))
    #expect(!egresses.isWriting(record) && egresses.listsAllFiles(record))
    // A node of a cluster looks at the rooms that it takes over.
    let next = FakeJobs([], egresses)
    await egresses.begin(next, isAlone: false)
    #expect(next.reported.value.isEmpty)
    egresses.tell(event(.roomRestored, at: 9, ["userIds": [String]()]))
    try await eventually("they have ended") { try await egresses.all.allSatisfy(\.isOver) }
  }
}
