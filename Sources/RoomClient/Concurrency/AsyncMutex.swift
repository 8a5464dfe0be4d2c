/// Admits one caller at a time, in order of arrival. An actor uses it to serialize work that suspends.
struct AsyncMutex {
  private var isTaken = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  /// Returns true if the caller may continue at once; it must call `leave` later. Otherwise it must `wait`.
  mutating func tryLock() -> Bool {
    guard !isTaken else { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ caller: CheckedContinuation<Void, Never>) { queue.append(caller) }

  /// Admits the next caller.
  mutating func leave() {
    if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
  }
}
