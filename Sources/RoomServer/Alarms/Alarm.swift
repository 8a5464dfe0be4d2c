/// A condition that requires an operator.
struct Alarm: Encodable, Sendable, Hashable {
  /// What is wrong. The names are stable: they are part of the API and of metrics.
  enum Kind: String, Encodable, Sendable, CaseIterable {
    case jobFailing, mixTooSlow, workerBusy, machineBusy, memoryFull, recordingDiskFull, webhookFailing, storeFailing
    case certificateExpiring
  }

  enum Severity: String, Encodable, Sendable, CaseIterable, Comparable {
    /// Clients notice nothing yet, or a reserve is nearly used up.
    case warning
    /// Clients notice it now, or data is being lost.
    case critical

    static func < (one: Severity, other: Severity) -> Bool { one == .warning && other == .critical }
  }

  /// What an alarm is about. There is one alarm at most for each subject.
  struct Subject: Sendable, Hashable {
    var kind: Kind
    var room: String?
    var job: String?
    /// The worker's number or the webhook's URL without its query; nil if the kind has a single subject.
    var name: String?
  }

  let subject: Subject
  /// The highest severity since it was raised.
  var severity: Severity
  /// When the condition began, in milliseconds since 1970.
  let since: Int64
  /// When it was cleared, in milliseconds since 1970; nil while it is active.
  var clearedAt: Int64?
  /// A sentence with the figures of the last bad reading.
  var message: String

  private enum CodingKeys: CodingKey {
    case kind, severity, since, clearedAt, room, job, name, message
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(subject.kind, forKey: .kind)
    try values.encode(severity, forKey: .severity)
    try values.encode(since, forKey: .since)
    try values.encodeIfPresent(clearedAt, forKey: .clearedAt)
    try values.encodeIfPresent(subject.room, forKey: .room)
    try values.encodeIfPresent(subject.job, forKey: .job)
    try values.encodeIfPresent(subject.name, forKey: .name)
    try values.encode(message, forKey: .message)
  }
}

/// The present state of a subject.
struct Symptom: Sendable, Hashable {
  enum Level: Sendable, Hashable {
    case good
    /// Between the two thresholds of a rule: neither raises nor clears an alarm.
    case between
    case bad(Alarm.Severity)
  }

  var subject: Alarm.Subject
  var level: Level
  var message: String
}
