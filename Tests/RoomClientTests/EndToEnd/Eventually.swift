import Testing

/// Waits until a condition is true.
func eventually(_ what: String, seconds: Double = 30, _ holds: @escaping @Sendable () async throws -> Bool) async throws {
  try await within(seconds, what) {
    while try await !holds() { try await Task.sleep(for: .milliseconds(10)) }
  }
}
