import Glibc

/// The RTX payload format (RFC 4588 §4): a packet resent on a separate stream, with its original number before the payload.
public enum Retransmission {
  /// The number of bytes before the original payload.
  public static let prefixLength = 2

  /// Returns the original sequence number. Returns nil if the packet has none: such packets only contain padding, to probe the
  /// link.
  @inlinable public static func originalSequenceNumber(packet: UnsafeRawBufferPointer, header: RTPHeader) -> UInt16? {
    guard header.payloadLength >= prefixLength, header.headerLength + prefixLength <= packet.count else { return nil }
    return packet.baseAddress?.load16(header.headerLength)
  }

  /// Restores the original packet from an RTX packet in place. The header moves two bytes forward, over the original number,
  /// and gets the sequence number, payload type and SSRC of the repaired stream.
  /// - Returns: the original packet, two bytes shorter, within `packet`; nil if there is no original.
  public static func unwrap(
    _ packet: UnsafeMutableRawBufferPointer, header: RTPHeader, payloadType: UInt8, ssrc: SSRC
  ) -> UnsafeMutableRawBufferPointer? {
    guard let base = packet.baseAddress,
      let number = originalSequenceNumber(packet: UnsafeRawBufferPointer(packet), header: header)
    else { return nil }
    let original = base + prefixLength
    memmove(original, base, header.headerLength)
    original.store8((header.marker ? 0x80 : 0) | (payloadType & 0x7f), 1)
    original.store16(number, 2)
    original.storeSSRC(ssrc, 8)
    return UnsafeMutableRawBufferPointer(start: original, count: packet.count - prefixLength)
  }

  /// Writes `packet`, including its extensions, as an RTX packet into `buffer`.
  /// - Returns: the length in bytes; 0 if `buffer` is too small.
  public static func wrap(
    _ packet: UnsafeRawBufferPointer, header: RTPHeader, payloadType: UInt8, ssrc: SSRC, sequenceNumber: UInt16,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let length = packet.count + prefixLength
    guard buffer.count >= length, header.headerLength <= packet.count, let source = packet.baseAddress,
      let base = buffer.baseAddress
    else { return 0 }
    memcpy(base, source, header.headerLength)
    base.store8((header.marker ? 0x80 : 0) | (payloadType & 0x7f), 1)
    base.store16(sequenceNumber, 2)
    base.storeSSRC(ssrc, 8)
    base.store16(header.sequenceNumber, header.headerLength)
    memcpy(base + header.headerLength + prefixLength, source + header.headerLength, packet.count - header.headerLength)
    return length
  }
}
