import RoomProtocol
import Testing

@testable import RoomServer

@Suite("Alarms: rules")
struct DiagnosisTests {
  private static let day: Int64 = 86_400_000

  /// Returns the level of a kind at each reading; readings are three seconds apart.
  private func levels(of kind: Alarm.Kind, _ changes: [(inout AlarmReadings) -> Void]) -> [Symptom.Level?] {
    var diagnosis = Diagnosis()
    return changes.enumerated().map { index, change in
      var readings = AlarmReadings(now: Int64(index) * 3000, wall: 0)
      change(&readings)
      return diagnosis.symptoms(of: readings).first { $0.subject.kind == kind }?.level
    }
  }

  @Test("a job is bad while it reconnects, and good when it is connected")
  func jobs() {
    let failure = JobFailure(cause: .dns, message: "no such host")
    func job(_ state: JobState, _ failure: JobFailure? = nil) -> (inout AlarmReadings) -> Void {
      { $0.jobs = [.init(room: "room", info: JobInfo(jobId: "live", kind: .forward, state: state, failure: failure))] }
    }
    let levels = levels(
      of: .jobFailing,
      [job(.connecting), job(.autoReconnecting, failure), job(.connecting, failure), job(.error, failure), job(.connected)])
    #expect(levels == [.between, .bad(.critical), .bad(.critical), .bad(.critical), .good])
  }

  @Test("the sentence of a job has its destination and the reason")
  func sentence() {
    var readings = AlarmReadings(now: 0, wall: 0)
    let failure = JobFailure(cause: .dns, message: "no such host")
    let info = JobInfo(
      jobId: "live", kind: .forward, state: .autoReconnecting, target: "rtmp://cdn/live", failure: failure)
    readings.jobs = [.init(room: "room", info: info)]
    var diagnosis = Diagnosis()
    let symptom = diagnosis.symptoms(of: readings).last
    #expect(symptom?.message == "The live to rtmp://cdn/live is not connected: no such host")
    #expect(symptom?.subject == .init(kind: .jobFailing, room: "room", job: "live"))
  }

  @Test("a worker is bad above 90 % of its core, and good below 80 %")
  func workers() {
    let levels = levels(
      of: .workerBusy, [{ $0.workers = [7] }, { $0.workers = [9.8] }, { $0.workers = [12.3] }, { $0.workers = [13] }])
    #expect(levels == [.between, .bad(.warning), .between, .good])
  }

  @Test("the machine is bad above 90 % of its processors")
  func machine() {
    func ticks(_ busy: UInt64, _ total: UInt64) -> (inout AlarmReadings) -> Void {
      { $0.machine.processor = .init(busy: busy, total: total) }
    }
    #expect(levels(of: .machineBusy, [ticks(0, 0), ticks(95, 100), ticks(100, 200)]) == [.between, .bad(.warning), .good])
  }

  @Test("memory and disk are bad above 90 %, and critical above 97 %", arguments: [Alarm.Kind.memoryFull, .recordingDiskFull])
  func shares(kind: Alarm.Kind) {
    func share(_ value: Double) -> (inout AlarmReadings) -> Void {
      { (readings: inout AlarmReadings) in
        readings.machine.memory = value
        readings.machine.disk = value
      }
    }
    let levels = levels(of: kind, [share(0.5), share(0.91), share(0.98), share(0.89)])
    #expect(levels == [.good, .bad(.warning), .bad(.critical), .between])
  }

  @Test("a webhook is bad while its last attempt failed, each by its name")
  func webhooks() {
    var readings = AlarmReadings(now: 0, wall: 0)
    readings.webhooks = [
      .init(name: "http://a", isFailing: true, queued: 3), .init(name: "http://b", isFailing: false, queued: 0),
    ]
    var diagnosis = Diagnosis()
    let symptoms = diagnosis.symptoms(of: readings).filter { $0.subject.kind == .webhookFailing }
    #expect(symptoms.map(\.subject.name) == ["http://a", "http://b"])
    #expect(symptoms.map(\.level) == [.bad(.warning), .good])
    #expect(symptoms.first?.message == "The webhook http://a accepts no events; 3 wait.")
  }

  @Test("the store is bad after an interval with a failed transaction")
  func store() {
    let levels = levels(
      of: .storeFailing,
      [
        { $0.store = .init(failures: 4) }, { $0.store = .init(failures: 5) }, { $0.store = .init(failures: 5) },
        { $0.store = .init(failures: 5, earlyAnswers: 1) },
      ])
    #expect(levels == [.good, .bad(.critical), .good, .bad(.critical)])
  }

  @Test("a certificate is bad 14 days before its end, and critical 3 days before")
  func certificate() {
    func days(_ days: Int64) -> (inout AlarmReadings) -> Void { { $0.certificateExpires = days * Self.day } }
    let levels = levels(of: .certificateExpiring, [days(14), days(13), days(2), days(-1), days(90)])
    #expect(levels == [.good, .bad(.warning), .bad(.critical), .bad(.critical), .good])
  }

  @Test("mixes are bad above 5 % of skipped frames; the end of a mix says nothing")
  func mixes() {
    func mixes(_ frames: UInt64, _ skipped: UInt64) -> (inout AlarmReadings) -> Void {
      { $0.mixes = .init(frames: frames, skipped: skipped) }
    }
    let levels = levels(
      of: .mixTooSlow, [mixes(100, 0), mixes(190, 10), mixes(290, 10), mixes(50, 9), mixes(150, 9), mixes(0, 0)])
    #expect(levels == [.good, .bad(.warning), .good, .between, .good, .good])
  }

  @Test("the kernel's texts are read: busy ticks without idle and iowait, and memory that is not available")
  func texts() {
    let processor = MachineReading.processor("cpu  10 1 5 70 14 0 0 0 3 0\ncpu0 5 0 2 35 7 0 0 0 0 0\n")
    #expect(processor == .init(busy: 16, total: 100))
    #expect(MachineReading.processor("intr 5") == nil)
    #expect(MachineReading.memory("MemTotal:  1000 kB\nMemFree: 10 kB\nMemAvailable:   250 kB\n") == 0.75)
    #expect(MachineReading.memory("") == nil)
    let here = MachineReading(recordings: "/")
    #expect(here.processor != nil && here.memory != nil && here.disk != nil)
  }
}
