import CLinux
import Glibc
import RTP
import WebRTC

// TCP connections of clients that UDP does not reach (RFC 6544, this side passive): from accept to close.
//
// A connection is nobody's until a connectivity check that a transport's password signs came over it; from then on it is one of that
// transport's addresses, and is closed when the transport forgets it. Connections are closed at the end of a turn of the loop alone,
// so that nothing that is in the middle of a packet's way loses what it holds.

extension WorkerLoop {
  /// Connections taken in one turn; the next are taken in the next, after the packets.
  private static let acceptsPerWakeup = 64

  func acceptConnections(at number: Int) {
    let now = clock()
    for _ in 0..<Self.acceptsPerWakeup {
      switch sockets.tcp[number].accept() {
      case .nobody: return
      case .exhausted:
        // Watched again by the next sweep.
        _ = linux_epoll_remove(epoll, sockets.tcp[number].descriptor)
        areListenersPaused = true
        counters.tcpRefused &+= 1
        return
      case .connection(let descriptor, var address):
        address.isTCP = true
        address.socket = UInt8(truncatingIfNeeded: number)
        take(descriptor, from: address, now: now)
      }
    }
  }

  private func take(_ descriptor: Int32, from address: TransportAddress, now: Instant) {
    if tcp.isFull, let oldest = tcp.oldestUnproven() {
      // Whoever says nothing makes room: under a flood, clients get the time that the table takes to fill.
      counters.tcpRefused &+= 1
      closeConnection(oldest, now: now)
    }
    let deadline = now.advanced(microseconds: setup.limits.tcpProofTime)
    guard let index = tcp.insert(TCPConnection(descriptor: descriptor, address: address, deadline: deadline)) else {
      counters.tcpRefused &+= 1
      _ = Glibc.close(descriptor)
      return
    }
    guard watch(descriptor, as: .connection, number: index) else {
      counters.tcpRefused &+= 1
      return closeConnection(index, now: now)
    }
    counters.tcpAccepted &+= 1
  }

  /// A check of `transport`'s client came over the connection at this address.
  func prove(_ key: AddressKey, at address: TransportAddress, for transport: Int) {
    let index = tcp.index(of: key)
    guard index >= 0 else { return }
    tcp.prove(index, for: transport)
    // What was selected may have been an older connection with the same ends.
    let slot = transports[transport]
    if slot.pointee.isConnected, slot.pointee.peer._withUnsafeGuaranteedRef({ $0.remoteAddress }) == address {
      slot.pointee.destination = destination(of: address)
    }
  }

  /// The transport does not listen to this address any more: its connection is closed at the end of the turn.
  func giveUpConnection(_ key: AddressKey) {
    let index = tcp.index(of: key)
    guard index >= 0 else { return }
    tcp[index].pointee.isOver = true
    tcp.markBusy(index)
  }

  /// Closes what said nothing valid in time, and listens again where descriptors had run out.
  func sweepConnections(_ now: Instant) {
    if areListenersPaused {
      areListenersPaused = false
      for (number, listener) in sockets.tcp.enumerated() { _ = watch(listener.descriptor, as: .listener, number: number) }
    }
    for index in 0..<tcp.end where tcp.isLive(index) && tcp[index].pointee.deadline <= now {
      if !tcp[index].pointee.isProven { counters.tcpSilent &+= 1 }
      closeConnection(index, now: now)
    }
  }

  /// Sends what the turn has queued, and closes what is over.
  func finishConnections() {
    var now: Instant?
    while let index = tcp.popBusy() {
      // It may have been closed since it was marked; its place is then nobody's.
      guard tcp.isLive(index) else { continue }
      write(index)
      guard tcp[index].pointee.isOver else { continue }
      let time = now ?? clock()
      now = time
      closeConnection(index, now: time)
    }
  }

  /// At the end of the worker.
  func closeConnections(_ now: Instant) {
    finishConnections()
    for index in 0..<tcp.end where tcp.isLive(index) { closeConnection(index, now: now) }
  }

  private func closeConnection(_ index: Int, now: Instant) {
    guard tcp.isLive(index) else { return }
    let address = tcp[index].pointee.address
    let transport = Int(tcp[index].pointee.transport)
    _ = Glibc.close(tcp[index].pointee.descriptor)
    tcp.remove(index)
    let key = AddressKey(address)
    guard transport >= 0, addresses[key] == transport, transports.isLive(transport) else { return }
    addresses.remove(key)
    transports[transport].pointee.forget(key)
    transports[transport].pointee.peer._withUnsafeGuaranteedRef { $0.connectionClosed(address, now: now) }
    drain(transport, now: now)
  }
}
