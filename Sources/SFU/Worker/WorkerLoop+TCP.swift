import CLinux
import Glibc
import RTP
import WebRTC

// TCP connections of clients that UDP does not reach (RFC 6544, this side passive): accept, read, write, close.
//
// Connections are closed at the end of a turn of the loop alone, so that nothing that is in the middle of a packet's path loses what
// it uses.

extension WorkerLoop {
  /// Connections accepted in one turn; the next are accepted in the next, after the packets.
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
        forwarder.counters.tcpRefused &+= 1
        return
      case .connection(let descriptor, var address):
        address.isTCP = true
        address.socket = UInt8(truncatingIfNeeded: number)
        take(descriptor, from: address, now: now)
      }
    }
  }

  private func take(_ descriptor: Int32, from address: TransportAddress, now: Instant) {
    if forwarder.connections.isFull, let oldest = forwarder.connections.oldestUnproven() {
      // Whoever says nothing makes room: under a flood, clients get the time that the table takes to fill.
      forwarder.counters.tcpRefused &+= 1
      closeConnection(oldest, now: now)
    }
    let deadline = now.advanced(microseconds: forwarder.limits.tcpProofTime)
    let connection = TCPConnection(descriptor: descriptor, address: address, deadline: deadline)
    guard let index = forwarder.connections.insert(connection) else {
      forwarder.counters.tcpRefused &+= 1
      _ = Glibc.close(descriptor)
      return
    }
    guard watch(descriptor, as: .connection, number: index) else {
      forwarder.counters.tcpRefused &+= 1
      return closeConnection(index, now: now)
    }
    forwarder.counters.tcpAccepted &+= 1
  }

  func readConnection(_ index: Int) {
    guard let space = forwarder.beginReading(index) else { return }
    let count = recv(forwarder.connections[index].pointee.descriptor, space.baseAddress, space.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      forwarder.endReading(index, count: count, now: clock())
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      forwarder.endConnection(index)
    }
  }

  /// Closes what said nothing valid in time, and listens again where descriptors had run out.
  func sweepConnections(_ now: Instant) {
    if areListenersPaused {
      areListenersPaused = false
      for (number, listener) in sockets.tcp.enumerated() { _ = watch(listener.descriptor, as: .listener, number: number) }
    }
    for index in 0..<forwarder.connections.end where forwarder.connections.isLive(index) {
      guard forwarder.connections[index].pointee.deadline <= now else { continue }
      if !forwarder.connections[index].pointee.isProven { forwarder.counters.tcpSilent &+= 1 }
      closeConnection(index, now: now)
    }
  }

  /// Sends what the turn has queued, and closes what is over.
  func finishConnections() {
    var now: Instant?
    while let index = forwarder.nextBusyConnection() {
      forwarder.write(index)
      let connection = forwarder.connections[index]
      if connection.pointee.isOver {
        let time = now ?? clock()
        now = time
        closeConnection(index, now: time)
      } else if connection.pointee.awaitsRoom != connection.pointee.isWatchedForRoom {
        connection.pointee.isWatchedForRoom = connection.pointee.awaitsRoom
        watchRoom(connection.pointee.descriptor, number: index, connection.pointee.awaitsRoom)
      }
    }
  }

  /// At the end of the worker.
  func closeConnections(_ now: Instant) {
    finishConnections()
    for index in 0..<forwarder.connections.end { closeConnection(index, now: now) }
  }

  private func closeConnection(_ index: Int, now: Instant) {
    guard forwarder.connections.isLive(index) else { return }
    _ = Glibc.close(forwarder.connections[index].pointee.descriptor)
    forwarder.connectionClosed(index, now: now)
  }
}
