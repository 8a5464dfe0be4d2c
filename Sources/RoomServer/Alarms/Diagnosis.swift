import RoomProtocol

/// Turns readings into symptoms. Rates are those since the reading before.
struct Diagnosis: Sendable {
  private static let day: Int64 = 86_400_000
  private static let cores = AlarmThreshold()
  private static let memory = AlarmThreshold(critical: 0.97, good: 0.85)
  private static let disk = AlarmThreshold(critical: 0.97, good: 0.88)
  /// The share of frames that mixes skip.
  private static let skipping = AlarmThreshold(bad: 0.05, good: 0.02)

  private var before: AlarmReadings?

  mutating func symptoms(of now: AlarmReadings) -> [Symptom] {
    let before = before ?? now
    self.before = now
    // The server's own subjects come first, so that jobs never keep them out of a full list.
    return resources(from: before, to: now) + services(from: before, to: now) + now.jobs.map(Self.symptom)
  }

  private func resources(from before: AlarmReadings, to now: AlarmReadings) -> [Symptom] {
    let seconds = Double(now.now - before.now) / 1000
    var symptoms: [Symptom] = []
    for (index, cpu) in now.workers.enumerated() {
      let load = seconds > 0 && index < before.workers.count ? (cpu - before.workers[index]) / seconds : nil
      symptoms.append(
        Symptom(
          subject: .init(kind: .workerBusy, name: "\(index)"), level: load.map(Self.cores.level) ?? .between,
          message: "Media worker \(index) uses \(percent(load ?? 0)) of its core; its rooms lose packets soon."))
    }
    let load = now.machine.processor.flatMap { new in before.machine.processor.flatMap { new.load(since: $0) } }
    symptoms.append(
      Symptom(
        subject: .init(kind: .machineBusy), level: load.map(Self.cores.level) ?? .between,
        message: "The machine's processors are \(percent(load ?? 0)) busy."))
    if let share = now.machine.memory {
      symptoms.append(
        Symptom(
          subject: .init(kind: .memoryFull), level: Self.memory.level(of: share),
          message: "\(percent(share)) of the memory is used; at 100% the system kills the server."))
    }
    if let share = now.machine.disk {
      symptoms.append(
        Symptom(
          subject: .init(kind: .recordingDiskFull), level: Self.disk.level(of: share),
          message: "The disk for recordings is \(percent(share)) full."))
    }
    return symptoms
  }

  private func services(from before: AlarmReadings, to now: AlarmReadings) -> [Symptom] {
    var symptoms: [Symptom] = []
    if let store = now.store {
      let isBad = before.store.map { $0.failures < store.failures || $0.earlyAnswers < store.earlyAnswers } ?? false
      symptoms.append(
        Symptom(
          subject: .init(kind: .storeFailing), level: isBad ? .bad(.critical) : .good,
          message: "The store can't write to its disk in time; changes are lost if the server is killed now."))
    }
    for webhook in now.webhooks {
      symptoms.append(
        Symptom(
          subject: .init(kind: .webhookFailing, name: webhook.name), level: webhook.isFailing ? .bad(.warning) : .good,
          message: "The webhook \(webhook.name) accepts no events; \(webhook.queued) wait."))
    }
    if let expires = now.certificateExpires {
      let left = expires - now.wall
      let days = max(0, left) / Self.day
      symptoms.append(
        Symptom(
          subject: .init(kind: .certificateExpiring),
          level: left >= 14 * Self.day ? .good : .bad(left < 3 * Self.day ? .critical : .warning),
          message: left <= 0 ? "The TLS certificate has expired." : "The TLS certificate expires in \(days) days."))
    }
    symptoms.append(mixes(from: before.mixes, to: now.mixes))
    return symptoms
  }

  private func mixes(from before: AlarmReadings.Mixes, to now: AlarmReadings.Mixes) -> Symptom {
    var level = Symptom.Level.good
    var share = 0.0
    // A mix that ends takes its counts with it; such an interval says nothing.
    if now.frames < before.frames || now.skipped < before.skipped {
      level = now.frames == 0 ? .good : .between
    } else {
      let (made, skipped) = (Double(now.frames - before.frames), Double(now.skipped - before.skipped))
      if made + skipped > 0 {
        share = skipped / (made + skipped)
        level = Self.skipping.level(of: share)
      }
    }
    return Symptom(
      subject: .init(kind: .mixTooSlow), level: level,
      message: "Mixes skip \(percent(share)) of their frames: the machine is too slow for them.")
  }

  private static func symptom(of job: AlarmReadings.Job) -> Symptom {
    let level: Symptom.Level
    switch job.info.state {
    case .connected: level = .good
    case .autoReconnecting, .error: level = .bad(.critical)
    // Later attempts connect too; only the first one has no failure yet.
    case .connecting: level = job.info.failure == nil ? .between : .bad(.critical)
    default: level = .between
    }
    let target = job.info.target.map { " to \($0)" } ?? ""
    let reason = job.info.failure.map { ": \($0.message)" } ?? ""
    return Symptom(
      subject: .init(kind: .jobFailing, room: job.room, job: job.info.jobId.rawValue), level: level,
      message: "The live\(target) is not connected\(reason)")
  }
}

/// Returns a share as a whole percentage.
private func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
