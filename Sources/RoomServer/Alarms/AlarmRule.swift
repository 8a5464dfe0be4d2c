/// How long a subject is bad before its alarm is raised, and good before it is cleared. docs/operations.md has the table.
struct AlarmRule: Sendable, Hashable {
  /// Milliseconds.
  var badTime: Int64 = 10_000
  /// Milliseconds.
  var goodTime: Int64 = 10_000

  static func of(_ kind: Alarm.Kind) -> AlarmRule {
    switch kind {
    case .jobFailing, .mixTooSlow, .workerBusy, .machineBusy, .memoryFull: AlarmRule()
    case .recordingDiskFull, .certificateExpiring: AlarmRule(badTime: 0, goodTime: 0)
    case .webhookFailing: AlarmRule(badTime: 60_000, goodTime: 0)
    // A failed transaction is an event, so the first one raises the alarm. A minute without one clears it.
    case .storeFailing: AlarmRule(badTime: 0, goodTime: 60_000)
    }
  }
}

/// The thresholds of a share of something limited, 0 to 1.
struct AlarmThreshold: Sendable, Hashable {
  /// From here on it is bad.
  var bad = 0.9
  /// From here on it is critical; nil if it never is.
  var critical: Double?
  /// Below it is good.
  var good = 0.8

  func level(of share: Double) -> Symptom.Level {
    if let critical, share >= critical { return .bad(.critical) }
    if share >= bad { return .bad(.warning) }
    return share < good ? .good : .between
  }
}
