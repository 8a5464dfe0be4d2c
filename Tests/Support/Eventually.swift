public import Testing

/// Waits until a condition is true.
/// - Throws: ``DidNotHappen`` after `limit`.
public func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  try await eventually(what(), within: limit, sourceLocation: sourceLocation, value: { try await condition() ? () : nil })
}

/// Waits until `value` returns a value, and returns it.
/// - Throws: ``DidNotHappen`` after `limit`.
public func eventually<Value>(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation,
  value: () async throws -> Value?
) async throws -> Value {
  let deadline = ContinuousClock.now + limit
  var pause = Duration.milliseconds(1)
  while true {
    if let value = try await value() { return value }
    guard ContinuousClock.now < deadline else { throw DidNotHappen(what: "\(what()), within \(limit), at \(sourceLocation)") }
    // Short waits end early, and long ones leave the CPU to the media.
    try await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(32))
  }
}

/// Runs `body`, and cancels it after `limit`.
public func within<Result: Sendable>(
  _ limit: Duration = .seconds(60), _ what: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw DidNotHappen(what: "\(what), within \(limit)")
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw DidNotHappen(what: what) }
    return result
  }
}

/// Waits until the task is cancelled.
public func untilCancelled() async {
  let (nothing, continuation) = AsyncStream<Void>.makeStream()
  for await _ in nothing {}
  withExtendedLifetime(continuation) {}
}

/// What a test waited for in vain.
public struct DidNotHappen: Error, CustomStringConvertible {
  public let what: String
  public init(what: String) { self.what = what }
  public var description: String { "did not happen: \(what)" }
}
