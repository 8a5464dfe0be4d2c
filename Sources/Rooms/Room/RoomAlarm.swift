import RoomLinux
import RoomRTP

/// Wakes a room when its next timer is due.
struct RoomAlarm {
  /// Maximum time that an alarm may fire early, in microseconds: the room then sets the next one.
  private static let tolerance: Int64 = 5000

  private var next: (time: Instant, task: Task<Void, Never>)?

  /// Sets or cancels the alarm.
  /// - Parameters:
  ///   - deadline: nil if no timer is set.
  ///   - ring: called once, at the deadline.
  mutating func set(for deadline: Instant?, _ ring: @escaping @Sendable () async -> Void) {
    guard let deadline else { return cancel() }
    if let next, next.time <= deadline, deadline - next.time < Self.tolerance { return }
    next?.task.cancel()
    let wait = max(0, deadline - Instant.now)
    let task = Task {
      guard (try? await Task.sleep(for: .microseconds(wait))) != nil else { return }
      await ring()
    }
    next = (deadline, task)
  }

  mutating func cancel() {
    next?.task.cancel()
    next = nil
  }

  mutating func hasRung() { next = nil }
}
