/// A table of trivial slots with stable addresses: allocated once for its whole capacity, of which the kernel backs only what was
/// touched, so that nothing on the packet path grows, moves or counts references.
struct SlotTable<Slot>: ~Copyable {
  let capacity: Int
  private let slots: UnsafeMutablePointer<Slot>
  /// Odd while the slot is in use; grows with each change, so that an old reference is told from a new one.
  private let generations: UnsafeMutablePointer<UInt32>
  private let nextFree: UnsafeMutablePointer<Int32>
  private var firstFree: Int32 = -1
  private(set) var count = 0
  /// Indices at and above this were never used: where a walk over the table ends.
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

  /// Another for each use of the index.
  @inline(__always) func generation(_ index: Int) -> UInt32 { generations[index] }

  /// Nil when the table is full.
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
