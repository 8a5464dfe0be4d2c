/// The numbers of datagrams that wait to be sent again, in memory of fixed size.
struct ResendQueue: ~Copyable {
  private let capacity: Int
  private let numbers: UnsafeMutablePointer<UInt64>
  private var start = 0
  private(set) var count = 0

  /// - Parameter capacity: a power of two.
  init(capacity: Int) {
    self.capacity = capacity
    numbers = .allocate(capacity: capacity)
  }

  deinit { numbers.deallocate() }

  var isFull: Bool { count == capacity }

  /// Appends a number; the queue must not be full.
  mutating func append(_ number: UInt64) {
    numbers[(start + count) & (capacity - 1)] = number
    count += 1
  }

  /// Removes the first number; nil if there is none.
  mutating func removeFirst() -> UInt64? {
    guard count > 0 else { return nil }
    defer {
      start = (start + 1) & (capacity - 1)
      count -= 1
    }
    return numbers[start]
  }
}
