/// Lets one caller at a time through, in the order in which they came: for work of an actor that waits in between.
struct Turnstile {
  private var isTaken = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  /// True where the caller may go on at once and has to `leave` later; else it is to `wait`.
  mutating func tryEnter() -> Bool {
    guard !isTaken else { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ caller: CheckedContinuation<Void, Never>) { queue.append(caller) }

  /// Hands the turn to the next.
  mutating func leave() {
    if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
  }
}
