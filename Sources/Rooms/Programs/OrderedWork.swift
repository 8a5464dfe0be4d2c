/// Runs asynchronous tasks one after another, in the order in which they were added.
struct OrderedWork {
  private var last: Task<Void, Never>?

  mutating func add(_ work: @escaping @Sendable () async -> Void) {
    let before = last
    last = Task {
      await before?.value
      await work()
    }
  }
}
