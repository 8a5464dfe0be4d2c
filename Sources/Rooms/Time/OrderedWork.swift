/// Runs asynchronous tasks one after another, in the order in which they were added.
package struct OrderedWork {
  private var last: Task<Void, Never>?

  package init() {}

  package mutating func add(_ work: @escaping @Sendable () async -> Void) {
    let before = last
    last = Task {
      await before?.value
      await work()
    }
  }
}
