import RoomRTP

/// A set of timers, one per key.
struct Timers<Key: Hashable & Sendable>: Sendable {
  private var times: [Key: Instant] = [:]
  /// Sorted by time, the next one last. May contain outdated times.
  private var queue: [(time: Instant, key: Key)] = []

  /// Time of the next timer; nil if there is none.
  var next: Instant? {
    mutating get {
      dropOutdated()
      return queue.last?.time
    }
  }

  func isSet(_ key: Key) -> Bool { times[key] != nil }

  /// Sets or moves the timer of a key.
  mutating func set(_ key: Key, at time: Instant) {
    guard times.updateValue(time, forKey: key) != time else { return }
    var (low, high) = (0, queue.count)
    while low < high {
      let middle = (low + high) / 2
      if queue[middle].time > time { low = middle + 1 } else { high = middle }
    }
    queue.insert((time, key), at: low)
    // Timers that are moved often leave outdated entries.
    if queue.count > 2 * times.count + 16 { queue.removeAll { times[$0.key] != $0.time } }
  }

  mutating func cancel(_ key: Key) { times[key] = nil }

  mutating func cancelAll() { (times, queue) = ([:], []) }

  /// Removes and returns the earliest key that is due; nil if none is.
  mutating func takeDue(_ now: Instant) -> Key? {
    dropOutdated()
    guard let last = queue.last, last.time <= now else { return nil }
    queue.removeLast()
    times[last.key] = nil
    return last.key
  }

  private mutating func dropOutdated() {
    while let last = queue.last, times[last.key] != last.time { queue.removeLast() }
  }
}
