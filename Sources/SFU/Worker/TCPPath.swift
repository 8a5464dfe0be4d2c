import CLinux
import Glibc
import RTP
import WebRTC

// A packet's way over TCP, in and out (RFC 4571). Unlike UDP's it copies; like UDP's it allocates nothing once a connection has its
// queue.

extension WorkerLoop {
  /// Frames after which what came is forwarded, as after a batch of datagrams.
  private static let framesPerBatch = ReceiveBatch.count

  /// Reads once: frames go the way of datagrams, and the rest of the last is kept for the next read.
  func readConnection(_ index: Int) {
    guard tcp.isLive(index), !tcp[index].pointee.isOver else { return }
    let connection = tcp[index]
    // epoll tells room to write in the same way.
    if connection.pointee.awaitsRoom { tcp.markBusy(index) }
    let held = tcp.restorePartial(index)
    let count = recv(connection.pointee.descriptor, tcp.slab + held, TCPConnections.slabBytes, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return tcp.keepPartial(index, from: 0, to: held) }
      return endConnection(index)
    }
    counters.tcpBytesReceived &+= UInt64(count)
    let now = clock()
    let address = connection.pointee.address
    let stream = UnsafeMutableRawBufferPointer(start: tcp.slab, count: held + count)
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
          connection.pointee.deadline = now.advanced(microseconds: setup.limits.tcpIdleTime)
        }
        frames += 1
        if frames % Self.framesPerBatch == 0 { finishReceiving(now) }
      case .incomplete:
        tcp.keepPartial(index, from: offset, to: stream.count)
        return finishReceiving(now)
      case .tooLong:
        counters.tcpMalformed &+= 1
        finishReceiving(now)
        return endConnection(index)
      }
    }
    finishReceiving(now)
  }

  private func endConnection(_ index: Int) {
    tcp[index].pointee.isOver = true
    tcp.markBusy(index)
  }

  /// Queues what was written at the batch's next place; it is sent with what else the turn brings.
  func commitTCP(_ length: Int, to destination: Destination, subscription: Int32) {
    let index = Int(destination.connection)
    guard tcp.isLive(index), tcp.generation(index) == destination.generation, !tcp[index].pointee.isOver else {
      return drop(.notConnected)
    }
    let connection = tcp[index]
    let isVideo = subscription >= 0
    if isVideo, connection.pointee.isStalled { return leaveOut(subscription) }
    let needed = length &+ StreamFraming.headerLength
    if !hasRoom(connection, for: needed, isVideo: isVideo) {
      write(index)
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
    tcp.markBusy(index)
  }

  /// Video leaves a quarter of the queue to audio and control; a connection that has proven nothing gets a few answers.
  private func hasRoom(_ connection: UnsafeMutablePointer<TCPConnection>, for length: Int, isVideo: Bool) -> Bool {
    if connection.pointee.queue == nil {
      // Of whoever proves nothing, few pages are ever touched.
      connection.pointee.queue = ByteQueue(capacity: setup.limits.tcpQueueBytes)
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

  private static let bytesForUnproven = 2048

  /// The subscriber's video goes on at a key frame, which is asked for once the queue has emptied: not before, for it would not fit.
  private func leaveOut(_ subscription: Int32) {
    drop(.tcpQueueFull)
    if subscription >= 0 { fallBehind(Int(subscription), asksForKeyFrame: false) }
  }

  /// Sends as much of the queue as the kernel takes.
  func write(_ index: Int) {
    let connection = tcp[index]
    while let front = connection.pointee.queue?.front, let base = front.baseAddress, front.count > 0 {
      let sent = send(connection.pointee.descriptor, base, front.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if sent > 0 {
        connection.pointee.queue?.remove(sent)
        counters.tcpBytesSent &+= UInt64(sent)
      } else if errno != EINTR {
        if errno != EAGAIN { endConnection(index) }
        break
      }
    }
    guard let queue = connection.pointee.queue else { return }
    let awaitsRoom = queue.count > 0 && !connection.pointee.isOver
    if awaitsRoom != connection.pointee.awaitsRoom {
      connection.pointee.awaitsRoom = awaitsRoom
      watchRoom(connection.pointee.descriptor, number: index, awaitsRoom)
    }
    if connection.pointee.isStalled, queue.count <= queue.capacity / 8 {
      connection.pointee.isStalled = false
      if connection.pointee.isProven { wantKeyFrames(for: Int(connection.pointee.transport)) }
    }
  }
}
