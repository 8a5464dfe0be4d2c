import RoomRTP
import RoomWebRTC

// The forwarder's only output path, for packets, reports, STUN and DTLS alike.

extension Forwarder {
  /// Maximum size of an RTCP compound packet before sealing, in bytes: well below any path's MTU once sealed.
  static let longestReport = 1200

  /// Sends the packets of the batch.
  func flush() {
    guard outgoing.count > 0 else { return }
    let outcome = outgoing.flush()
    counters.packetsSent &+= UInt64(outcome.packets)
    counters.bytesSent &+= UInt64(outcome.bytes)
    counters.segmentedMessages &+= UInt64(outcome.segmentedMessages)
    counters.segmentedPackets &+= UInt64(outcome.segments)
    counters.segmentationRefused &+= UInt64(outcome.refusedMessages)
    drops[Int(MediaDrop.sendFailed.rawValue)] &+= UInt64(outcome.failed)
    drops[Int(MediaDrop.sendBufferFull.rawValue)] &+= UInt64(outcome.full)
    for index in 0..<outcome.lagging { markLagging(Int(outgoing.dropped[index])) }
  }

  /// Sets the time that the next packets carry as their time of sending.
  @inline(__always) func setSendTime(_ now: Instant) {
    sentAt = now
    sendTime = AbsSendTime(now).rawValue
  }

  /// Makes room for one more packet. The batch may still be full afterwards, if the socket accepts nothing.
  @inline(__always) func makeRoom() -> Bool {
    if outgoing.isFull {
      flush()
      setSendTime(calls.now)
    }
    return !outgoing.isFull
  }

  /// Adds the packet that was written at the batch's `next`.
  @inline(__always) func commit(
    _ length: Int, to destination: Destination, subscription: Int32 = -1, joins: Bool = false
  ) {
    if destination.connection >= 0 { return commitTCP(length, to: destination, subscription: subscription) }
    outgoing.commit(length, to: destination, subscription: subscription, joins: joins)
  }

  /// Returns the socket or the connection for a peer's packets.
  func destination(of address: TransportAddress) -> Destination {
    if address.isTCP {
      let index = connections.index(of: AddressKey(address))
      guard index >= 0 else { return Destination() }
      return Destination(connection: Int32(truncatingIfNeeded: index), generation: connections.generation(index))
    }
    let number = Int(address.socket)
    return Destination(address, socket: number < sockets.count ? sockets[number] : -1)
  }

  /// Sends a peer's datagram.
  func transmit(_ bytes: [UInt8], to destination: Destination) {
    guard bytes.count <= SendBatch.slotBytes else { return drop(.sendFailed) }
    guard makeRoom() else { return drop(.sendBufferFull) }
    bytes.withUnsafeBytes {
      outgoing.next.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(outgoing.next), byteCount: $0.count)
    }
    commit(bytes.count, to: destination)
  }

  /// Writes an RTCP compound packet into the batch and sends it. If `body` writes nothing, nothing is sent.
  @inline(__always) func sendRTCP(on index: Int, _ body: (inout RTCPWriter) -> Void) {
    guard transports[index].pointee.isConnected, makeRoom() else { return }
    var writer = RTCPWriter(UnsafeMutableRawBufferPointer(start: outgoing.next, count: Self.longestReport))
    body(&writer)
    commitRTCP(writer.length, on: index)
  }

  /// Seals an RTCP compound packet that was written at the batch's `next`, and adds it to the batch.
  private func commitRTCP(_ length: Int, on index: Int) {
    guard length > 0 else { return }
    let transport = transports[index]
    let place = UnsafeMutableRawBufferPointer(start: outgoing.next, count: SendBatch.slotBytes)
    guard let sealed = transport.pointee.peer._withUnsafeGuaranteedRef({ $0.protectRTCP(place, length: length) }) else {
      return drop(.sendFailed)
    }
    commit(sealed, to: transport.pointee.destination)
    transport.pointee.sent(sealed)
  }
}
