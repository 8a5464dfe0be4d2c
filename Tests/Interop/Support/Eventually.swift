import Testing

/// Waits until `condition` is true; fails the test if it is not true within `limit`.
func eventually(
  _ what: String, within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not within \(limit): \(what)", sourceLocation: sourceLocation)
      throw DidNotHappen(what: what)
    }
    try await Task.sleep(for: .milliseconds(50))
  }
}

struct DidNotHappen: Error, CustomStringConvertible {
  let what: String
  var description: String { "did not happen: \(what)" }
}
