import RoomCLinux
import Glibc
import RoomRTP

/// The link's thread: receives packets, determines their fate with the models, and forwards them when they have arrived.
struct LinkRelay {
  private struct Client {
    let address: sockaddr_in
    /// The socket towards the target.
    let socket: LoopbackSocket
  }

  private struct Packet {
    let bytes: [UInt8]
    let direction: LossyLink.Direction
    let client: Int
  }

  private enum Tag {
    static let wake: UInt64 = 0
    static let listener: UInt64 = 1
    static let firstClient: UInt64 = 2
  }

  /// Maximum number of datagrams read from one socket before the next one.
  private static let batch = 64

  private let listener: LoopbackSocket
  private let target: sockaddr_in
  private let control: LinkControl
  private let epoll: Int32
  private var clients: [Client] = []
  private var clientIndex: [UInt64: Int] = [:]
  private var queue = ArrivalQueue<Packet>()

  init(listener: LoopbackSocket, target: UInt16, control: LinkControl) {
    self.listener = listener
    self.target = LoopbackSocket.address(port: target)
    self.control = control
    epoll = linux_epoll_create()
  }

  /// Runs until the control is stopped.
  mutating func run() {
    defer {
      close(epoll)
      listener.close()
      for client in clients { client.socket.close() }
    }
    _ = linux_epoll_add(epoll, control.wake, Tag.wake)
    _ = linux_epoll_add(epoll, listener.descriptor, Tag.listener)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    var tags = [UInt64](repeating: 0, count: 16)
    while !control.isStopping {
      let wait = queue.nextArrival.map { max(0, $0 - now()) } ?? -1
      let ready = linux_epoll_wait(epoll, &tags, Int32(tags.count), wait)
      guard ready >= 0 else { return }
      for tag in tags.prefix(Int(ready)) {
        switch tag {
        case Tag.wake: linux_eventfd_drain(control.wake)
        case Tag.listener: receiveFromClients(buffer)
        default: receiveFromTarget(client: Int(tag - Tag.firstClient), buffer)
        }
      }
      sendArrived()
    }
  }

  private func now() -> Instant { Instant(microseconds: linux_now_us()) }

  private mutating func receiveFromClients(_ buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.batch {
      guard let (bytes, address) = listener.receive(into: buffer) else { return }
      guard let client = client(at: address) else {
        control.state.withLock { $0.toTarget.counters.refused += 1 }
        continue
      }
      enter(Packet(bytes: bytes, direction: .toTarget, client: client))
    }
  }

  private mutating func receiveFromTarget(client: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.batch {
      guard let (bytes, from) = clients[client].socket.receive(into: buffer) else { return }
      guard from.sin_port == target.sin_port, from.sin_addr.s_addr == target.sin_addr.s_addr else { continue }
      enter(Packet(bytes: bytes, direction: .toClient, client: client))
    }
  }

  private mutating func client(at address: sockaddr_in) -> Int? {
    let key = UInt64(address.sin_addr.s_addr) << 16 | UInt64(address.sin_port)
    if let known = clientIndex[key] { return known }
    guard clients.count < LossyLink.clientLimit, let socket = try? LoopbackSocket() else { return nil }
    let index = clients.count
    guard linux_epoll_add(epoll, socket.descriptor, Tag.firstClient + UInt64(index)) == 0 else { return nil }
    clients.append(Client(address: address, socket: socket))
    clientIndex[key] = index
    return index
  }

  private mutating func enter(_ packet: Packet) {
    let now = now()
    let hasRoom = queue.count < LossyLink.packetLimit
    let arrivals: [Instant] = control.state.withLock { state in
      state[packet.direction].counters.sent += 1
      guard hasRoom else {
        state[packet.direction].counters.refused += 1
        return []
      }
      switch state[packet.direction].model.send(bytes: packet.bytes.count, at: now) {
      case .arrives(let arrival): return [arrival]
      case .arrivesTwice(let first, let second): return [first, second]
      case .lost: state[packet.direction].counters.lost += 1
      case .overflowed: state[packet.direction].counters.overflowed += 1
      }
      return []
    }
    for arrival in arrivals { queue.insert(packet, arrival: arrival) }
  }

  private mutating func sendArrived() {
    let now = now()
    while let packet = queue.removeArrived(by: now) {
      let client = clients[packet.client]
      switch packet.direction {
      case .toTarget: client.socket.send(packet.bytes, to: target)
      case .toClient: listener.send(packet.bytes, to: client.address)
      }
      control.state.withLock { $0[packet.direction].counters.arrived += 1 }
    }
  }
}
