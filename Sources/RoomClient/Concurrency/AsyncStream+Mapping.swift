extension AsyncStream where Element: Sendable {
  /// Creates a stream of the converted elements of another. Dropping it cancels the other.
  init<Source: Sendable>(mapping source: AsyncStream<Source>, _ convert: @escaping @Sendable (Source) -> Element) {
    self.init(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let task = Task {
        for await element in source { continuation.yield(convert(element)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
