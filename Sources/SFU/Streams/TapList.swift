/// The rings of one track's taps or links, in memory that does not move, so that the packet path iterates it without reference counting. A
/// trivial handle; the track's book owns the memory.
struct TapList: BitwiseCopyable {
  /// More than the maximum number of jobs in a room.
  static let capacity = 64

  private var rings: UnsafeMutablePointer<TapRing>?
  private(set) var count = 0

  mutating func append(_ ring: TapRing) {
    let rings = self.rings ?? .allocate(capacity: Self.capacity)
    self.rings = rings
    guard count < Self.capacity else { return }
    rings[count] = ring
    count += 1
  }

  mutating func removeAll() {
    rings?.deallocate()
    rings = nil
    count = 0
  }

  @inline(__always) func write(
    _ head: TapRing.Head, prefix: UnsafeRawBufferPointer? = nil, _ payload: UnsafeRawPointer? = nil
  ) {
    guard let rings else { return }
    for index in 0..<count { rings[index].write(head, prefix: prefix, payload) }
  }
}
