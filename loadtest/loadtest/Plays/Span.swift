/// A period in which measurements are recorded once a second while something else runs.
struct Span: Sendable {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  /// Calls `tell` each second and once at the end, and then cancels `beside`. An error thrown by either ends both.
  func perform(
    _ tell: @escaping @Sendable () async -> Void, beside: @escaping @Sendable () async throws -> Void = {}
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        do { try await beside() } catch { if !Task.isCancelled { throw error } }
        return false
      }
      group.addTask { [duration] in
        let clock = ContinuousClock()
        let end = clock.now + duration
        var next = clock.now
        while next < end {
          next += .seconds(1)
          try await clock.sleep(until: min(next, end))
          // A final fraction of a second would result in wrong rates.
          if next <= end || duration < .seconds(2) { await tell() }
        }
        return true
      }
      while let isOver = try await group.next() {
        if isOver { group.cancelAll() }
      }
    }
  }
}

/// Runs the same work several times concurrently.
enum Several {
  /// Runs `body` for 0..<`count`, up to `atOnce` at a time. The first error ends all.
  static func each(_ count: Int, atOnce: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= atOnce { try await group.next() }
        group.addTask { try await body(number) }
      }
      try await group.waitForAll()
    }
  }
}
