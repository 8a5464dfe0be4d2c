import Foundation

/// A bounded set of keys, each of which expires. When it is full, the key that expires first is dropped.
///
/// A heap orders the keys by expiry. An insertion takes time logarithmic in the count and also drops a few of the expired keys.
struct ExpiryTable<Key: Hashable & Sendable>: Sendable {
  let capacity: Int
  private var expiries: [Key: Date] = [:]
  /// A binary heap, the earliest first. The heap may contain an outdated time of a key that was inserted again.
  private var heap: [(expires: Date, key: Key)] = []

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { expiries.count }

  func contains(_ key: Key) -> Bool { expiries[key] != nil }
  /// Nil for a key that is not in the set.
  func expiry(of key: Key) -> Date? { expiries[key] }

  /// Inserts a key.
  /// - Returns: false if a key that has not expired was dropped for it.
  mutating func insert(_ key: Key, until expires: Date, now: Date) -> Bool {
    for _ in 0..<2 { dropFirst { $0 <= now } }
    if let known = expiries[key], known >= expires { return true }
    var isFree = true
    while expiries[key] == nil, expiries.count >= capacity, let dropped = dropFirst(where: { _ in true }) {
      if dropped > now { isFree = false }
    }
    expiries[key] = expires
    // Outdated entries fill the heap only if a key is inserted repeatedly with ever later times.
    if heap.count >= 2 * capacity { rebuild() } else { push((expires, key)) }
    return isFree
  }

  /// Drops the key that expires first if its time satisfies the predicate. Returns that time.
  @discardableResult private mutating func dropFirst(where isMeant: (Date) -> Bool) -> Date? {
    while let first = heap.first {
      let isCurrent = expiries[first.key] == first.expires
      guard !isCurrent || isMeant(first.expires) else { return nil }
      pop()
      guard isCurrent else { continue }
      expiries[first.key] = nil
      return first.expires
    }
    return nil
  }

  // MARK: The heap

  private mutating func rebuild() {
    // A sorted list is a heap.
    heap = expiries.map { ($0.value, $0.key) }.sorted { $0.expires < $1.expires }
  }

  private mutating func push(_ entry: (expires: Date, key: Key)) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, heap[index].expires < heap[(index - 1) / 2].expires {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func pop() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var index = 0
    while true {
      var first = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].expires < heap[first].expires {
        first = child
      }
      guard first != index else { return }
      heap.swapAt(index, first)
      index = first
    }
  }
}
