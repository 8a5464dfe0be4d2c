import CLinux

/// The slab that one `recvmmsg` fills.
struct ReceiveBatch: ~Copyable {
  static let count = 32
  /// Over the 1500 of Ethernet, so that a longer datagram is seen to be too long.
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

  /// How many datagrams came; 0 when none is there.
  func receive(from descriptor: Int32) -> Int { max(0, Int(linux_receive(descriptor, datagrams, Int32(Self.count)))) }
}
