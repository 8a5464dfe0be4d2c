import Glibc
import RTP
import WebRTC

// A packet's path over TCP, in and out (RFC 4571). Unlike UDP's it copies; like UDP's it allocates nothing once a connection has its
// queue. The owner accepts, reads and closes; what comes and what waits to be sent is here.
//
// A connection is nobody's until a connectivity check that a transport's password signs came over it; from then on it is one of that
// transport's addresses, and is closed when the transport forgets it.

extension Forwarder {
  /// Frames after which what came is forwarded, as after a batch of datagrams.
  private static let framesPerBatch = ReceiveBatch.count
  /// Bytes that may wait for a connection that has proven nothing.
  private static let bytesForUnproven = 2048

  // MARK: In

  /// The memory that the next bytes of a connection are to be read into; nil for a connection that is closed, or about to be.
  /// `endReading` must follow before the next call if bytes were read.
  func beginReading(_ index: Int) -> UnsafeMutableRawBufferPointer? {
    guard connections.isLive(index), !connections[index].pointee.isOver else { return nil }
    // epoll reports room to write in the same way.
    if connections[index].pointee.awaitsRoom { connections.markBusy(index) }
    let start = connections.restorePartial(index)
    return UnsafeMutableRawBufferPointer(start: connections.slab + start, count: TCPConnections.slabBytes)
  }

  /// Takes the first `count` bytes of what `beginReading` returned: frames are received as datagrams are, and the rest of the last
  /// is kept for the next read.
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
        // Nothing comes before a check (RFC 6544 §7.2).
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

  /// Queues what was written at the batch's next place; the owner sends it with what else its turn brings.
  func commitTCP(_ length: Int, to destination: Destination, subscription: Int32) {
    let index = Int(destination.connection)
    guard connections.isLive(index), connections.generation(index) == destination.generation,
      !connections[index].pointee.isOver
    else { return drop(.notConnected) }
    let connection = connections[index]
    let isVideo = subscription >= 0
    if isVideo, connection.pointee.isStalled { return leaveOut(subscription) }
    let needed = length &+ StreamFraming.headerLength
    if !hasRoom(connection, for: needed, isVideo: isVideo) {
      write(index)
      // The owner may have to watch for room now.
      connections.markBusy(index)
      guard hasRoom(connection, for: needed, isVideo: isVideo) else {
        if isVideo { connection.pointee.isStalled = true }
        return leaveOut(subscription)
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

  /// Video leaves a quarter of the queue to audio and control; a connection that has proven nothing gets a few answers.
  private func hasRoom(_ connection: UnsafeMutablePointer<TCPConnection>, for length: Int, isVideo: Bool) -> Bool {
    if connection.pointee.queue == nil {
      // Of whoever proves nothing, few pages are ever touched.
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

  /// The subscriber's video continues at a key frame, which is requested once the queue has emptied: before that it would not fit.
  private func leaveOut(_ subscription: Int32) {
    drop(.tcpQueueFull)
    if subscription >= 0 { fallBehind(Int(subscription), asksForKeyFrame: false) }
  }

  /// Sends as much of the queue as the kernel takes.
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
      if connection.pointee.isProven { wantKeyFrames(for: Int(connection.pointee.transport)) }
    }
  }

  // MARK: From the first check to the end

  /// A check of `transport`'s client came over the connection at this address.
  func prove(_ key: AddressKey, at address: TransportAddress, for transport: Int) {
    let index = connections.index(of: key)
    guard index >= 0 else { return }
    connections.prove(index, for: transport)
    // What was selected may have been an older connection with the same ends.
    let slot = transports[transport]
    if slot.pointee.isConnected, slot.pointee.peer._withUnsafeGuaranteedRef({ $0.remoteAddress }) == address {
      slot.pointee.destination = destination(of: address)
    }
  }

  /// The transport does not listen to this address any more: its connection is closed at the end of the turn.
  func giveUpConnection(_ key: AddressKey) {
    let index = connections.index(of: key)
    guard index >= 0 else { return }
    endConnection(index)
  }

  /// Nothing more is read from the connection, and the owner closes it at the end of its turn.
  func endConnection(_ index: Int) {
    connections[index].pointee.isOver = true
    connections.markBusy(index)
  }

  /// The next connection with something to write, to watch or to close, once each; nil when there is none.
  func nextBusyConnection() -> Int? {
    while let index = connections.popBusy() {
      // It may have been closed since it was marked; its place is then nobody's.
      if connections.isLive(index) { return index }
    }
    return nil
  }

  /// Forgets a connection that the owner has closed.
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
