import Glibc

/// A bounded queue of bytes on a mapping of its own, of which the kernel backs only what was touched. A trivial handle: the owner
/// calls `free`.
struct ByteQueue: BitwiseCopyable {
  private let base: UnsafeMutableRawPointer
  /// A power of two.
  let capacity: Int
  /// Bytes ever taken and ever added, since the queue was empty last.
  private var head = 0
  private var tail = 0

  /// `capacity` is rounded up to a power of two. Nil when memory is short.
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

  /// Adds bytes; the caller has seen that there is room.
  mutating func append(_ bytes: UnsafeRawPointer, _ length: Int) {
    let place = tail & (capacity &- 1)
    let first = min(length, capacity &- place)
    (base + place).copyMemory(from: bytes, byteCount: first)
    if length > first { base.copyMemory(from: bytes + first, byteCount: length &- first) }
    tail &+= length
  }

  /// As many of the oldest bytes as lie in one piece.
  var front: UnsafeRawBufferPointer {
    let place = head & (capacity &- 1)
    return UnsafeRawBufferPointer(start: base + place, count: min(count, capacity &- place))
  }

  /// Forgets the oldest bytes. An emptied queue begins at the front again, where memory is backed already.
  mutating func remove(_ length: Int) {
    head &+= length
    if head == tail {
      head = 0
      tail = 0
    }
  }
}
