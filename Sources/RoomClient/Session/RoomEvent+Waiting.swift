extension AsyncStream<RoomEvent> {
  /// What `pick` makes of the first event of which it makes something; nil where none comes in time, or the events end.
  @discardableResult
  func first<Result: Sendable>(
    within seconds: Double, _ pick: @escaping @Sendable (RoomEvent) -> Result?
  ) async -> Result? {
    await withTaskGroup(of: Result?.self) { group in
      group.addTask {
        for await event in self {
          if let result = pick(event) { return result }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
