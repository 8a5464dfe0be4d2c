import RoomRTP

/// The header of a transport stream packet, ISO/IEC 13818-1 §2.4.3.2.
struct PacketHeader {
  /// The length of a packet in bytes.
  static let packetLength = 188
  static let syncByte: UInt8 = 0x47

  /// The packet identifier: 0…8191.
  var pid: Int
  /// Whether a section or a PES packet begins in this packet.
  var startsUnit: Bool
  var continuity: UInt8
  /// Whether the sender announces a jump of the continuity counter.
  var isDiscontinuity = false
  /// The range of the payload in the packet; nil without one.
  var payload: Range<Int>?

  /// Parses a packet of 188 bytes. Returns nil for one that is damaged or scrambled.
  init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count == Self.packetLength, packet[0] == Self.syncByte, packet[1] & 0x80 == 0, packet[3] & 0xc0 == 0 else {
      return nil
    }
    pid = Int(packet[1] & 0x1f) << 8 | Int(packet[2])
    startsUnit = packet[1] & 0x40 != 0
    continuity = packet[3] & 0x0f
    var begin = 4
    if packet[3] & 0x20 != 0 {
      let length = Int(packet[4])
      if length > 0 { isDiscontinuity = packet[5] & 0x80 != 0 }
      begin += 1 + length
    }
    guard packet[3] & 0x10 != 0 else { return }
    guard begin < Self.packetLength else { return nil }
    payload = begin..<Self.packetLength
  }
}
