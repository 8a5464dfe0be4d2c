/// A time in which something is told once a second while something else goes on.
struct Span: Sendable {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  /// Calls `tell` each second and, once, at the end; `beside` is cancelled then. What either throws ends it all.
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
          // A last part of a second would tell rates that are none.
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

/// Many who do the same.
enum Several {
  /// Runs `body` for 0 up to `count`, some at once; what one throws ends it all.
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
