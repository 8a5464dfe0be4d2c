import RoomCLinux

/// The buffers that one `recvmmsg` call fills.
struct ReceiveBatch: ~Copyable {
  static let count = 32
  /// Larger than Ethernet's 1500 bytes, so that an oversized datagram is detected.
  static let slotBytes = 2048

  private let slab: UnsafeMutableRawPointer
  private let datagrams: UnsafeMutablePointer<linux_datagram>

  init() {
    slab = .allocate(byteCount: Self.count * Self.slotBytes, alignment: 64)
    datagrams = .allocate(capacity: Self.count)
    datagrams.initialize(repeating: linux_datagram(), count: Self.count)
    for index in 0..<Self.count {
      datagrams[index].data = (slab + index * Self.slotBytes).assumingMemoryBound(to: UInt8.self)
      datagrams[index].capacity = UInt32(Self.slotBytes)
    }
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
  }

  @inline(__always) subscript(index: Int) -> UnsafeMutablePointer<linux_datagram> { datagrams + index }

  /// Returns the number of datagrams received; 0 if none is waiting.
  func receive(from descriptor: Int32) -> Int { max(0, Int(linux_receive(descriptor, datagrams, Int32(Self.count)))) }
}
