import Glibc
import RoomRTP
import RoomWebRTC

// A packet's path over TCP, in and out (RFC 4571). Unlike UDP's it copies; like UDP's it allocates nothing once a connection
// has its queue. The owner accepts, reads and closes; received frames and the send queue are handled here.
//
// A connection belongs to no transport until a connectivity check signed with a transport's password arrives on it. From then
// on it is one of that transport's addresses, and it is closed when the transport removes the address.

extension Forwarder {
  /// Frames after which received packets are forwarded, as after a batch of datagrams.
  private static let framesPerBatch = ReceiveBatch.count
  /// Maximum queue of an unproven connection, in bytes.
  private static let bytesForUnproven = 2048

  // MARK: In

  /// Returns the memory for the next bytes of a connection; nil if it is closed or about to be. If bytes were read,
  /// `endReading` must follow before the next call.
  func beginReading(_ index: Int) -> UnsafeMutableRawBufferPointer? {
    guard connections.isLive(index), !connections[index].pointee.isOver else { return nil }
    // epoll reports writability through the same event.
    if connections[index].pointee.awaitsRoom { connections.markBusy(index) }
    let start = connections.restorePartial(index)
    return UnsafeMutableRawBufferPointer(start: connections.slab + start, count: TCPConnections.slabBytes)
  }

  /// Processes the first `count` bytes of the memory from `beginReading`. Receives complete frames like datagrams, and keeps an
  /// incomplete last frame for the next read.
  func endReading(_ index: Int, count: Int, now: Instant) {
    counters.tcpBytesReceived &+= UInt64(count)
    let connection = connections[index]
    let address = connection.pointee.address
    let stream = UnsafeMutableRawBufferPointer(start: connections.slab, count: connection.pointee.partial &+ count)
    connection.pointee.partial = 0
    var offset = 0
    var frames = 0
    while !connection.pointee.isOver {
      switch StreamFraming.next(in: UnsafeRawBufferPointer(stream), at: offset, limit: TCPConnections.longestFrame) {
      case .frame(let range):
        offset = range.upperBound
        guard !range.isEmpty else { continue }
        let frame = UnsafeMutableRawBufferPointer(rebasing: stream[range])
        // A connectivity check must come first (RFC 6544 §7.2).
        guard connection.pointee.isProven || DatagramKind.classify(firstByte: frame[0]) == .stun else {
          counters.tcpMalformed &+= 1
          return endConnection(index)
        }
        receive(frame, from: address, now: now)
        if connection.pointee.isProven {
          connection.pointee.deadline = now.advanced(microseconds: limits.tcpIdleTime)
        }
        frames += 1
        if frames % Self.framesPerBatch == 0 { finishReceiving(now) }
      case .incomplete:
        connections.keepPartial(index, from: offset, to: stream.count)
        return finishReceiving(now)
      case .tooLong:
        counters.tcpMalformed &+= 1
        finishReceiving(now)
        return endConnection(index)
      }
    }
    finishReceiving(now)
  }

  // MARK: Out

  /// Queues the packet that was written at the batch's `next`. The owner sends it at the end of its turn.
  func commitTCP(_ length: Int, to destination: Destination, subscription: Int32) {
    let index = Int(destination.connection)
    guard connections.isLive(index), connections.generation(index) == destination.generation,
      !connections[index].pointee.isOver
    else { return drop(.notConnected) }
    let connection = connections[index]
    let isVideo = subscription >= 0
    if isVideo, connection.pointee.isStalled { return dropVideo(subscription) }
    let needed = length &+ StreamFraming.headerLength
    if !hasRoom(connection, for: needed, isVideo: isVideo) {
      write(index)
      // The owner may now have to watch for writability.
      connections.markBusy(index)
      guard hasRoom(connection, for: needed, isVideo: isVideo) else {
        if isVideo { connection.pointee.isStalled = true }
        return dropVideo(subscription)
      }
    }
    let header = StreamFraming.header(length: length)
    withUnsafeBytes(of: header) {
      if let base = $0.baseAddress { connection.pointee.queue?.append(base, StreamFraming.headerLength) }
    }
    connection.pointee.queue?.append(outgoing.next, length)
    counters.packetsSent &+= 1
    counters.bytesSent &+= UInt64(length)
    connections.markBusy(index)
  }

  /// Video leaves a quarter of the queue to audio and control. An unproven connection gets only a few answers.
  private func hasRoom(_ connection: UnsafeMutablePointer<TCPConnection>, for length: Int, isVideo: Bool) -> Bool {
    if connection.pointee.queue == nil {
      // An unproven connection touches only a few pages of it.
      connection.pointee.queue = ByteQueue(capacity: limits.tcpQueueBytes)
    }
    guard let queue = connection.pointee.queue else { return false }
    let limit =
      if !connection.pointee.isProven {
        Self.bytesForUnproven
      } else if isVideo {
        queue.capacity / 4 &* 3
      } else {
        queue.capacity
      }
    return queue.count &+ length <= limit
  }

  /// Drops the subscriber's video up to a key frame, which is requested once the queue has emptied. Before that it would not
  /// fit.
  private func dropVideo(_ subscription: Int32) {
    drop(.tcpQueueFull)
    if subscription >= 0 { markLagging(Int(subscription), asksForKeyFrame: false) }
  }

  /// Writes as much of the queue as the kernel accepts.
  func write(_ index: Int) {
    let connection = connections[index]
    while let front = connection.pointee.queue?.front, let base = front.baseAddress, front.count > 0 {
      let sent = calls.stream(calls.context, connection.pointee.descriptor, base, front.count)
      if sent > 0 {
        connection.pointee.queue?.remove(sent)
        counters.tcpBytesSent &+= UInt64(sent)
      } else if sent != -Int(EINTR) {
        if sent != -Int(EAGAIN) { endConnection(index) }
        break
      }
    }
    guard let queue = connection.pointee.queue else { return }
    let awaitsRoom = queue.count > 0 && !connection.pointee.isOver
    connection.pointee.awaitsRoom = awaitsRoom
    if connection.pointee.isStalled, queue.count <= queue.capacity / 8 {
      connection.pointee.isStalled = false
      if connection.pointee.isProven { startVideos(on: Int(connection.pointee.transport), now: calls.now) }
    }
  }

  // MARK: From the first check to the end

  /// Assigns the connection at this address to `transport`, whose client sent a valid check over it.
  func prove(_ key: AddressKey, at address: TransportAddress, for transport: Int) {
    let index = connections.index(of: key)
    guard index >= 0 else { return }
    connections.prove(index, for: transport)
    // The selected one may have been an older connection with the same ends.
    let slot = transports[transport]
    if slot.pointee.isConnected, slot.pointee.peer._withUnsafeGuaranteedRef({ $0.remoteAddress }) == address {
      slot.pointee.destination = destination(of: address)
    }
  }

  /// Closes the connection at the end of the turn, because its transport removed this address.
  func abandonConnection(_ key: AddressKey) {
    let index = connections.index(of: key)
    guard index >= 0 else { return }
    endConnection(index)
  }

  /// Stops reading the connection. The owner closes it at the end of its turn.
  func endConnection(_ index: Int) {
    connections[index].pointee.isOver = true
    connections.markBusy(index)
  }

  /// Returns the next connection to write, to watch or to close, each once; nil when there are no more.
  func nextBusyConnection() -> Int? {
    while let index = connections.popBusy() {
      // It may have been closed since it was marked; its slot is then unused.
      if connections.isLive(index) { return index }
    }
    return nil
  }

  /// Removes a connection that the owner has closed.
  func connectionClosed(_ index: Int, now: Instant) {
    let address = connections[index].pointee.address
    let transport = Int(connections[index].pointee.transport)
    connections.remove(index)
    let key = AddressKey(address)
    guard transport >= 0, addresses[key] == transport, transports.isLive(transport) else { return }
    addresses.remove(key)
    transports[transport].pointee.forget(key)
    transports[transport].pointee.peer._withUnsafeGuaranteedRef { $0.connectionClosed(address, now: now) }
    drain(transport, now: now)
  }
}
