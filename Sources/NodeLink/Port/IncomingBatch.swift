import RoomCLinux

/// The buffers that one `recvmmsg` call fills.
struct IncomingBatch: ~Copyable {
  static let count = 32
  /// Larger than the longest datagram, so that a longer one is noticed.
  private static let slotBytes = 2048

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

  /// Returns the number of datagrams received; 0 if none is waiting.
  func receive(from socket: Int32) -> Int { max(0, Int(linux_receive(socket, datagrams, Int32(Self.count)))) }

  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: datagrams[index].data, count: Int(min(datagrams[index].length, UInt32(Self.slotBytes))))
  }

  /// The address of the sender.
  func address(_ index: Int) -> NodeAddress? {
    withUnsafeBytes(of: &datagrams[index].address) { bytes in
      bytes.baseAddress.flatMap { NodeAddress($0, length: datagrams[index].address_length) }
    }
  }
}
