import Glibc

/// A bounded queue of bytes in its own memory mapping, whose pages the kernel allocates only when touched. A trivial handle:
/// the owner calls `free`.
struct ByteQueue: BitwiseCopyable {
  private let base: UnsafeMutableRawPointer
  /// A power of two.
  let capacity: Int
  /// Bytes removed and bytes added since the queue was last empty.
  private var head = 0
  private var tail = 0

  /// Rounds `capacity` up to a power of two. Returns nil if there is not enough memory.
  init?(capacity wanted: Int) {
    var capacity = 4096
    while capacity < wanted { capacity &*= 2 }
    guard let memory = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED
    else { return nil }
    base = memory
    self.capacity = capacity
  }

  func free() { munmap(base, capacity) }

  @inline(__always) var count: Int { tail &- head }

  /// Appends bytes. The caller has checked that there is room.
  mutating func append(_ bytes: UnsafeRawPointer, _ length: Int) {
    let place = tail & (capacity &- 1)
    let first = min(length, capacity &- place)
    (base + place).copyMemory(from: bytes, byteCount: first)
    if length > first { base.copyMemory(from: bytes + first, byteCount: length &- first) }
    tail &+= length
  }

  /// The oldest bytes, up to where they stop being contiguous.
  var front: UnsafeRawBufferPointer {
    let place = head & (capacity &- 1)
    return UnsafeRawBufferPointer(start: base + place, count: min(count, capacity &- place))
  }

  /// Removes the oldest bytes. An emptied queue restarts at the front, where pages are already allocated.
  mutating func remove(_ length: Int) {
    head &+= length
    if head == tail {
      head = 0
      tail = 0
    }
  }
}
