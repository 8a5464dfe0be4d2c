/// Runs asynchronous work one piece after another, in the order in which it was added.
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
