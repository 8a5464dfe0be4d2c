/// A table of trivial slots with stable addresses. It is allocated once for its full capacity, and the kernel allocates only
/// touched pages. So nothing on the packet path grows, moves or counts references.
struct SlotTable<Slot>: ~Copyable {
  let capacity: Int
  private let slots: UnsafeMutablePointer<Slot>
  /// Odd while the slot is in use. Incremented on each change, so that a stale reference can be detected.
  private let generations: UnsafeMutablePointer<UInt32>
  private let nextFree: UnsafeMutablePointer<Int32>
  private var firstFree: Int32 = -1
  private(set) var count = 0
  /// Indices from here on have never been used. Iteration over the table ends here.
  private(set) var end = 0

  init(capacity: Int) {
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
    generations = .allocate(capacity: capacity)
    nextFree = .allocate(capacity: capacity)
  }

  deinit {
    slots.deallocate()
    generations.deallocate()
    nextFree.deallocate()
  }

  /// The slot's address; the index must be live.
  @inline(__always) subscript(index: Int) -> UnsafeMutablePointer<Slot> { slots + index }

  @inline(__always) func isLive(_ index: Int) -> Bool { index < end && generations[index] & 1 == 1 }

  /// Returns a value that differs for each use of the index.
  @inline(__always) func generation(_ index: Int) -> UInt32 { generations[index] }

  /// Inserts a slot; returns nil if the table is full.
  mutating func insert(_ slot: Slot) -> Int? {
    let index: Int
    if firstFree >= 0 {
      index = Int(firstFree)
      firstFree = nextFree[index]
      generations[index] &+= 1
    } else {
      guard end < capacity else { return nil }
      index = end
      end += 1
      generations[index] = 1
    }
    (slots + index).initialize(to: slot)
    count += 1
    return index
  }

  mutating func remove(_ index: Int) {
    guard isLive(index) else { return }
    (slots + index).deinitialize(count: 1)
    generations[index] &+= 1
    nextFree[index] = firstFree
    firstFree = Int32(truncatingIfNeeded: index)
    count -= 1
  }
}
