import RoomCLinux
import Glibc
import RoomRTP
import RoomWebRTC

// TCP connections of clients that UDP does not reach (RFC 6544, passive side): accept, read, write, close.
//
// Connections are closed only at the end of a turn of the loop, so that a packet in progress never loses what it uses.

extension WorkerLoop {
  /// Maximum connections accepted per turn. The others wait for the next turn, after the packets.
  private static let acceptsPerWakeup = 64

  func acceptConnections(at number: Int) {
    let now = clock()
    for _ in 0..<Self.acceptsPerWakeup {
      switch sockets.tcp[number].accept() {
      case .noConnection: return
      case .exhausted:
        // The next sweep watches it again.
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
      // The oldest unproven connection makes room. Under a flood, clients have the time that the table takes to fill.
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

  /// Closes connections without valid input in time, and resumes listening if descriptors had run out.
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

  /// Sends what the turn has queued, and closes ended connections.
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

  /// Closes all connections at the end of the worker.
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
