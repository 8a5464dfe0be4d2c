import RTP
import WebRTC

// The one way out of a forwarder, for packets, reports, STUN and DTLS alike.

extension Forwarder {
  /// Bytes of an RTCP compound before sealing: with it, well under any path's limit.
  static let longestReport = 1200

  /// Sends what the batch has.
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
    for index in 0..<outcome.lagging { fallBehind(Int(outgoing.dropped[index])) }
  }

  /// Makes room for one more packet. The batch may still be full afterwards, when the socket takes nothing.
  @inline(__always) func makeRoom() -> Bool {
    if outgoing.isFull {
      flush()
      sendTime = AbsSendTime(calls.now).rawValue
    }
    return !outgoing.isFull
  }

  /// Takes what was written at the batch's next place.
  @inline(__always) func commit(
    _ length: Int, to destination: Destination, subscription: Int32 = -1, joins: Bool = false
  ) {
    if destination.connection >= 0 { return commitTCP(length, to: destination, subscription: subscription) }
    outgoing.commit(length, to: destination, subscription: subscription, joins: joins)
  }

  /// Where a peer's packets go: by which socket, or over which connection.
  func destination(of address: TransportAddress) -> Destination {
    if address.isTCP {
      let index = connections.index(of: AddressKey(address))
      guard index >= 0 else { return Destination() }
      return Destination(connection: Int32(truncatingIfNeeded: index), generation: connections.generation(index))
    }
    let number = Int(address.socket)
    return Destination(address, socket: number < sockets.count ? sockets[number] : -1)
  }

  /// Sends a datagram of a peer's.
  func transmit(_ bytes: [UInt8], to destination: Destination) {
    guard bytes.count <= SendBatch.slotBytes else { return drop(.sendFailed) }
    guard makeRoom() else { return drop(.sendBufferFull) }
    bytes.withUnsafeBytes {
      outgoing.next.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(outgoing.next), byteCount: $0.count)
    }
    commit(bytes.count, to: destination)
  }

  /// Writes an RTCP compound into the batch and sends it; a `body` that writes nothing sends nothing.
  @inline(__always) func sendRTCP(on index: Int, _ body: (inout RTCPWriter) -> Void) {
    guard transports[index].pointee.isConnected, makeRoom() else { return }
    var writer = RTCPWriter(UnsafeMutableRawBufferPointer(start: outgoing.next, count: Self.longestReport))
    body(&writer)
    commitRTCP(writer.length, on: index)
  }

  /// Seals an RTCP compound that was written at the batch's next place, and takes it into the batch.
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
