extension AsyncStream<RoomEvent> {
  /// Returns the first non-nil result of `pick`, or nil on a timeout or at the end of the events.
  @discardableResult
  package func first<Result: Sendable>(
    within time: Duration, _ pick: @escaping @Sendable (RoomEvent) -> Result?
  ) async -> Result? {
    await withTaskGroup(of: Result?.self) { group in
      group.addTask {
        for await event in self {
          if let result = pick(event) { return result }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
