import RoomCLinux
import RoomWebRTC

/// The datagrams of one call of `recvmmsg`.
struct FloorBatch: ~Copyable {
  private static let count = 64, slot = 2048
  private let slab: UnsafeMutableRawPointer
  private let datagrams: UnsafeMutablePointer<linux_datagram>

  init() {
    slab = .allocate(byteCount: Self.count * Self.slot, alignment: 64)
    datagrams = .allocate(capacity: Self.count)
    datagrams.initialize(repeating: linux_datagram(), count: Self.count)
    for index in 0..<Self.count {
      datagrams[index].data = (slab + index * Self.slot).assumingMemoryBound(to: UInt8.self)
      datagrams[index].capacity = UInt32(Self.slot)
    }
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
  }

  subscript(index: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: datagrams[index].data, count: Int(datagrams[index].length))
  }

  func source(_ index: Int) -> TransportAddress? { TransportAddress(&datagrams[index].address) }

  mutating func receive(from descriptor: Int32) -> Int {
    max(0, Int(linux_receive(descriptor, datagrams, Int32(Self.count))))
  }
}
