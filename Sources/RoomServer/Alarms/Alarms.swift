/// Raises and clears alarms, as a value whose inputs are symptoms and times.
///
/// An alarm is raised when its subject has been bad for the time of its rule, and cleared when it has been good for another
/// time, or no longer exists. Between the thresholds nothing changes, so a value near a threshold raises one alarm.
struct Alarms: Sendable {
  enum Change: Sendable, Hashable {
    case raised(Alarm)
    case cleared(Alarm)
  }

  /// The maximum number of active alarms.
  static let limit = 200
  /// The maximum number of cleared alarms that are kept.
  static let keptLimit = 100

  private enum State {
    /// Bad since this time, but not for long enough.
    case pending(since: Int64)
    /// Active; good since this time, if it is.
    case active(Alarm, goodSince: Int64?)
  }

  private var states: [Alarm.Subject: State] = [:]
  /// The last cleared alarms, newest first.
  private(set) var cleared: [Alarm] = []
  /// The number of alarms that are not listed because ``limit`` alarms are active.
  private(set) var unlisted = 0

  /// The active alarms: critical ones first, then the newest.
  var active: [Alarm] {
    listed.sorted { ($1.severity, $1.since, $0.message) < ($0.severity, $0.since, $1.message) }
  }

  private var listed: [Alarm] {
    states.values.compactMap { if case .active(let alarm, _) = $0 { alarm } else { nil } }
  }

  /// Takes the symptoms of all subjects that exist now.
  /// - Parameters:
  ///   - now: a monotonic time in milliseconds.
  ///   - wall: the same moment in milliseconds since 1970.
  /// - Returns: the alarms raised and cleared, in the order of the symptoms; vanished subjects come first.
  mutating func take(_ symptoms: [Symptom], at now: Int64, wall: Int64) -> [Change] {
    var changes: [Change] = []
    let present = Set(symptoms.map(\.subject))
    for subject in states.keys.filter({ !present.contains($0) }) { clear(subject, at: wall, &changes) }
    var count = listed.count
    unlisted = 0
    for symptom in symptoms {
      let subject = symptom.subject
      let rule = AlarmRule.of(subject.kind)
      switch (states[subject], symptom.level) {
      case (.active(var alarm, _), .bad(let severity)):
        alarm.severity = max(alarm.severity, severity)
        alarm.message = symptom.message
        states[subject] = .active(alarm, goodSince: nil)
      case (.active(let alarm, let goodSince), .good):
        let start = goodSince ?? now
        states[subject] = .active(alarm, goodSince: start)
        guard now - start >= rule.goodTime else { continue }
        clear(subject, at: wall, &changes)
        count -= 1
      case (.active(let alarm, _), .between): states[subject] = .active(alarm, goodSince: nil)
      case (.pending, .good): states[subject] = nil
      case (nil, .good), (nil, .between), (.pending, .between): break
      case (.pending, .bad(let severity)), (nil, .bad(let severity)):
        var since = now
        if case .pending(let start) = states[subject] { since = start }
        states[subject] = .pending(since: since)
        guard now - since >= rule.badTime else { continue }
        guard count < Self.limit else {
          unlisted += 1
          continue
        }
        let alarm = Alarm(subject: subject, severity: severity, since: wall - (now - since), message: symptom.message)
        states[subject] = .active(alarm, goodSince: nil)
        count += 1
        changes.append(.raised(alarm))
      }
    }
    return changes
  }

  private mutating func clear(_ subject: Alarm.Subject, at wall: Int64, _ changes: inout [Change]) {
    guard case .active(var alarm, _) = states.removeValue(forKey: subject) else { return }
    alarm.clearedAt = wall
    changes.append(.cleared(alarm))
    cleared.insert(alarm, at: 0)
    if cleared.count > Self.keptLimit { cleared.removeLast() }
  }
}
