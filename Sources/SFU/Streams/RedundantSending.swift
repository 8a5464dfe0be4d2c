extension SubscriptionSlot {
  /// Returns what to send of an audio packet under this number, and records it for a resend. Video has no copies.
  @inline(__always) mutating func form(
    of packet: UnsafeMutablePointer<StoredPacket>, as number: Int64, payloadType: UInt8
  ) -> PacketForm {
    guard redPayloadType != TrackSlot.noPayloadType else { return PacketForm(packet, payloadType: payloadType) }
    let copies = copies(for: packet, as: number)
    sentCopies[number] = copies
    return form(of: packet, copies: copies, payloadType: payloadType)
  }

  /// Returns the form in which the packet was sent under this number.
  func sentForm(of packet: UnsafeMutablePointer<StoredPacket>, as number: Int64, payloadType: UInt8) -> PacketForm {
    guard redPayloadType != TrackSlot.noPayloadType else { return PacketForm(packet, payloadType: payloadType) }
    return form(of: packet, copies: sentCopies[number], payloadType: payloadType)
  }

  private func form(of packet: UnsafeMutablePointer<StoredPacket>, copies: UInt8, payloadType: UInt8) -> PacketForm {
    guard copies > 0, copies <= packet.pointee.copies else { return PacketForm(packet, payloadType: payloadType) }
    return PacketForm(packet, distance: copies, red: redPayloadType, codec: payloadType)
  }

  /// The number of copies to send: only of packets that have their numbers just before this one. Others preceded a pause or a mute.
  private func copies(for packet: UnsafeMutablePointer<StoredPacket>, as number: Int64) -> UInt8 {
    var copies = packet.pointee.codec == redCodec ? min(redundancy, packet.pointee.copies) : 0
    while copies > 0 {
      let reach = Int64(copies == 1 ? packet.pointee.copyReach.x : packet.pointee.copyReach.y)
      if map.outgoing(packet.pointee.sequence &- reach)?.number == number &- reach { break }
      copies &-= 1
    }
    return copies
  }
}
