import Glibc
import RoomCLinux
import RoomRTP

/// The link's thread: reads packets from both devices and writes those that have arrived.
struct TunRelay {
  private enum Tag {
    static let wake: UInt64 = 0
    static let near: UInt64 = 1
    static let far: UInt64 = 2
  }

  /// Maximum number of packets read from one device before the next one.
  private static let batch = 64

  private let near: Int32
  private let far: Int32
  private let control: TunControl
  private let epoll = linux_epoll_create()

  init(near: Int32, far: Int32, control: TunControl) {
    self.near = near
    self.far = far
    self.control = control
  }

  /// Runs until the control is stopped, and closes the devices.
  mutating func run() {
    defer { for descriptor in [epoll, near, far] { close(descriptor) } }
    _ = linux_epoll_add(epoll, control.wake, Tag.wake)
    _ = linux_epoll_add(epoll, near, Tag.near)
    _ = linux_epoll_add(epoll, far, Tag.far)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    var tags = [UInt64](repeating: 0, count: 4)
    while true {
      let (isStopping, next) = control.state.withLock { ($0.isStopping, $0.transit.nextArrival) }
      guard !isStopping else { return }
      let ready = linux_epoll_wait(epoll, &tags, Int32(tags.count), next.map { max(0, $0 - now()) } ?? -1)
      guard ready >= 0 else { return }
      for tag in tags.prefix(Int(ready)) {
        switch tag {
        case Tag.near: receive(near, .down, buffer)
        case Tag.far: receive(far, .up, buffer)
        default: linux_eventfd_drain(control.wake)
        }
      }
      sendArrived()
    }
  }

  private func now() -> Instant { Instant(microseconds: linux_now_us()) }

  private func receive(_ device: Int32, _ direction: LinkTransit.Direction, _ buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.batch {
      let count = read(device, buffer.baseAddress, buffer.count)
      guard count > 0 else { return }
      // The kernel's own IPv6 neighbour discovery would disturb the counters.
      guard buffer[0] >> 4 == 4 else { continue }
      let packet = LinkTransit.Packet(bytes: [UInt8](buffer.prefix(count)), direction: direction)
      control.state.withLock { $0.transit.enter(packet, at: now()) }
    }
  }

  private func sendArrived() {
    while let packet = control.state.withLock({ $0.transit.removeArrived(by: now()) }) {
      // A full device loses the packet, as a network would.
      _ = write(packet.direction == .down ? far : near, packet.bytes, packet.bytes.count)
    }
  }
}
