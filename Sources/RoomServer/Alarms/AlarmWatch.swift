import Foundation
import Logging
import RoomCLinux
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomSFU
import RoomWebhooks

/// Reads the server every few seconds, and keeps, logs and records its alarms.
actor AlarmWatch {
  /// The time between two readings.
  private static let interval = Duration.seconds(3)

  private let directory: RoomDirectory
  private let plane: MediaPlane
  private let events: EventLog
  private let history: History
  private let recordings: String?
  private let certificate: CurrentCertificate?
  private let log: Logger
  private var diagnosis = Diagnosis()
  private var alarms = Alarms()
  private var last: AlarmReadings?
  /// The shares in use between the last two readings; 0 before the second one.
  private(set) var load = LoadShares()

  /// - Parameters:
  ///   - recordings: the directory of recordings; nil if recording is off.
  ///   - certificate: nil without TLS.
  init(
    directory: RoomDirectory, plane: MediaPlane, events: EventLog, history: History, recordings: String?,
    certificate: CurrentCertificate?, log: Logger
  ) {
    self.directory = directory
    self.plane = plane
    self.events = events
    self.history = history
    self.recordings = recordings
    self.certificate = certificate
    self.log = log
  }

  /// Reads at once and then every few seconds, until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      take(await read())
      try? await Task.sleep(for: Self.interval)
    }
  }

  private func take(_ readings: AlarmReadings) {
    if let last { load = LoadShares(from: last, to: readings) }
    last = readings
    for change in alarms.take(diagnosis.symptoms(of: readings), at: readings.now, wall: readings.wall) {
      switch change {
      case .raised(let alarm):
        log.warning("alarm raised", metadata: Self.metadata(alarm))
        history.tell(HistoryEvent(.alarmRaised, alarm, time: readings.wall))
      case .cleared(let alarm):
        log.info("alarm cleared", metadata: Self.metadata(alarm))
        history.tell(HistoryEvent(.alarmCleared, alarm, time: readings.wall))
      }
    }
  }

  private static func metadata(_ alarm: Alarm) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "kind": "\(alarm.subject.kind.rawValue)", "severity": "\(alarm.severity.rawValue)", "alarm": "\(alarm.message)",
    ]
    metadata["room"] = alarm.subject.room.map { "\($0)" }
    metadata["job"] = alarm.subject.job.map { "\($0)" }
    return metadata
  }

  private func read() async -> AlarmReadings {
    let machine = Guarded(MachineReading())
    await blocking(named: "alarms") { [recordings] in
      let reading = MachineReading(recordings: recordings)
      machine.withLock { $0 = reading }
    }
    var readings = AlarmReadings(now: linux_now_us() / 1000, wall: Int64(Date().timeIntervalSince1970 * 1000))
    readings.machine = machine.withLock { $0 }
    for room in await directory.all {
      let name = room.name.rawValue
      readings.jobs += await room.read(\.jobList).map { AlarmReadings.Job(room: name, info: $0) }
    }
    for mix in await directory.mixes.status() {
      readings.mixes.frames &+= mix.frames
      readings.mixes.skipped &+= mix.skipped
    }
    readings.workers = await plane.counters().workers.map { Double($0.cpuMicroseconds) / 1e6 }
    readings.webhooks = await events.deliveries.map {
      AlarmReadings.Webhook(name: $0.webhook, isFailing: $0.isFailing, queued: $0.queued)
    }
    readings.store = directory.store.map {
      AlarmReadings.Store(failures: $0.counters.failures, earlyAnswers: $0.counters.earlyAnswers)
    }
    readings.certificateExpires = certificate.map { Int64($0.certificate.expires.timeIntervalSince1970 * 1000) }
    return readings
  }

  /// The body of `GET /v1/alarms`.
  struct Report: Encodable, Sendable {
    var active: [Alarm]
    /// Active alarms that are not listed because there are too many.
    var unlisted: Int
    /// Newest first.
    var cleared: [Alarm]
  }

  var report: Report { Report(active: alarms.active, unlisted: alarms.unlisted, cleared: alarms.cleared) }
}

extension HistoryEvent {
  fileprivate init(_ kind: Kind, _ alarm: Alarm, time: Int64) {
    let subject = alarm.subject
    self.init(
      kind, time: time, room: subject.room, reason: subject.kind.rawValue,
      detail: "\(alarm.severity.rawValue): \(alarm.message)")
    job = subject.job
  }
}
