import RoomRTP
import Synchronization

/// A ring of records between one writing and one reading thread, in memory of fixed size. It takes no lock and allocates
/// nothing.
///
/// A trivial handle: the owner calls `free`.
struct TapRing: BitwiseCopyable {
  /// The header in front of a record's bytes.
  struct Head: BitwiseCopyable {
    var sequence: Int64 = 0
    var arrival: Int64 = 0
    /// For a report, its NTP time; for a packet, its audio level, if any.
    var time: UInt64 = 0
    var timestamp: UInt32 = 0
    var length: UInt16 = 0
    var kind: UInt8 = 0
    /// The payload format, with the marker as its highest bit.
    var format: UInt8 = 0

    /// A bit of `time`, above the byte of the audio level.
    private static let hasLevel: UInt64 = 0x100
    /// The lowest bit of the length of a dependency descriptor in `time`.
    private static let descriptorBit: UInt64 = 16

    @inline(__always) static func time(of level: AudioLevel?) -> UInt64 { level.map { hasLevel | UInt64($0.wire) } ?? 0 }

    /// The number of bytes before the payload that are a dependency descriptor.
    var descriptorLength: Int {
      get { Int(UInt8(truncatingIfNeeded: time >> Self.descriptorBit)) }
      set { time |= UInt64(UInt8(truncatingIfNeeded: newValue)) << Self.descriptorBit }
    }

    /// The audio level of a packet.
    var level: AudioLevel? { time & Self.hasLevel != 0 ? AudioLevel(wire: UInt8(truncatingIfNeeded: time)) : nil }
  }

  static let headBytes = MemoryLayout<Head>.stride
  /// The kind of a record that fills the rest of the ring, so that the next one is contiguous.
  private static let filler: UInt8 = 0xFF

  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  /// Total bytes written and read.
  private let written: UnsafeMutablePointer<Atomic<Int>>
  private let taken: UnsafeMutablePointer<Atomic<Int>>
  private let missed: UnsafeMutablePointer<Atomic<Int>>

  /// - Parameter capacity: Bytes; a power of two, at least 4 KiB.
  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 64)
    written = .allocate(capacity: 1)
    taken = .allocate(capacity: 1)
    missed = .allocate(capacity: 1)
    written.initialize(to: Atomic(0))
    taken.initialize(to: Atomic(0))
    missed.initialize(to: Atomic(0))
  }

  func free() {
    base.deallocate()
    for counter in [written, taken, missed] {
      counter.deinitialize(count: 1)
      counter.deallocate()
    }
  }

  /// Records lost because the ring was full.
  var lost: Int { missed.pointee.load(ordering: .relaxed) }

  /// Appends a record. Returns false, and counts the loss, if the ring is full. Only for the writing thread.
  /// - Parameter prefix: the first of the record's `head.length` bytes; `payload` has the others.
  @discardableResult
  func write(_ head: Head, prefix: UnsafeRawBufferPointer? = nil, _ payload: UnsafeRawPointer?) -> Bool {
    let length = Int(head.length)
    let size = (Self.headBytes + length + 7) & ~7
    var position = written.pointee.load(ordering: .relaxed)
    let free = capacity - (position - taken.pointee.load(ordering: .acquiring))
    let rest = capacity - position & (capacity - 1)
    let needed = rest < size ? rest + size : size
    guard needed <= free, size <= capacity else {
      missed.pointee.add(1, ordering: .relaxed)
      return false
    }
    if rest < size {
      if rest >= Self.headBytes { (base + (position & (capacity - 1))).storeBytes(of: Head(kind: Self.filler), as: Head.self) }
      position += rest
    }
    let place = base + (position & (capacity - 1))
    place.storeBytes(of: head, as: Head.self)
    let body = place + Self.headBytes
    var start = 0
    if let prefix, let base = prefix.baseAddress, prefix.count <= length {
      body.copyMemory(from: base, byteCount: prefix.count)
      start = prefix.count
    }
    if let payload, length > start { (body + start).copyMemory(from: payload, byteCount: length - start) }
    written.pointee.store(position + size, ordering: .releasing)
    return true
  }

  /// Passes the oldest record to `body` and removes it. Returns false if there is none. Only for the reading thread.
  func read(_ body: (Head, UnsafeRawBufferPointer) -> Void) -> Bool {
    var position = taken.pointee.load(ordering: .relaxed)
    let end = written.pointee.load(ordering: .acquiring)
    while position < end {
      let rest = capacity - position & (capacity - 1)
      let place = base + (position & (capacity - 1))
      guard rest >= Self.headBytes else {
        position += rest
        continue
      }
      let head = place.load(as: Head.self)
      guard head.kind != Self.filler else {
        position += rest
        continue
      }
      body(head, UnsafeRawBufferPointer(start: place + Self.headBytes, count: Int(head.length)))
      taken.pointee.store(position + (Self.headBytes + Int(head.length) + 7) & ~7, ordering: .releasing)
      return true
    }
    return false
  }
}
