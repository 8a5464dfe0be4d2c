/// Assembles the PES packets of one elementary stream, ISO/IEC 13818-1 §2.4.3.6.
struct PESAssembler {
  /// A packet. The timestamps have 33 bits at 90 kHz.
  struct Packet {
    var payload: ArraySlice<UInt8>
    var presentation: Int64?
    var decoding: Int64?
  }

  enum Outcome {
    case packet(Packet)
    /// A packet is invalid or too long, and is dropped.
    case malformed
  }

  /// The largest packet in bytes.
  private let longest: Int
  private var bytes: [UInt8] = []
  /// The number of bytes of the current packet; nil if its end is unknown or it has not begun.
  private var expected: Int?
  private var hasBegun = false

  init(longest: Int) { self.longest = longest }

  /// Drops the current packet. Returns whether there was one.
  mutating func reset() -> Bool {
    defer { (bytes, expected, hasBegun) = ([], nil, false) }
    return hasBegun
  }

  /// Takes the payload of the next packet of the transport stream. Returns the PES packets that end with it: the one before, and the
  /// one that begins here.
  mutating func take(_ payload: UnsafeRawBufferPointer, startsUnit: Bool) -> [Outcome] {
    var outcomes: [Outcome] = []
    if startsUnit {
      if hasBegun { outcomes.append(finish()) }
      hasBegun = true
    }
    guard hasBegun else { return outcomes }
    guard bytes.count + payload.count <= longest else {
      _ = reset()
      return outcomes + [.malformed]
    }
    bytes.append(contentsOf: payload)
    if startsUnit, bytes.count >= 6 {
      let length = Int(bytes[4]) << 8 | Int(bytes[5])
      expected = length > 0 ? length + 6 : nil
    }
    if let expected, bytes.count >= expected {
      bytes.removeLast(bytes.count - expected)
      outcomes.append(finish())
    }
    return outcomes
  }

  private mutating func finish() -> Outcome {
    let packet = bytes
    (bytes, expected, hasBegun) = ([], nil, false)
    guard packet.count >= 9, packet[0] == 0, packet[1] == 0, packet[2] == 1, packet[6] & 0xc0 == 0x80 else {
      return .malformed
    }
    let begin = 9 + Int(packet[8])
    guard begin <= packet.count else { return .malformed }
    return .packet(
      Packet(
        payload: packet[begin...], presentation: packet[7] & 0x80 != 0 && begin >= 14 ? Self.stamp(packet, 9) : nil,
        decoding: packet[7] & 0x40 != 0 && begin >= 19 ? Self.stamp(packet, 14) : nil))
  }

  private static func stamp(_ bytes: [UInt8], _ at: Int) -> Int64? {
    guard at + 5 <= bytes.count else { return nil }
    let high = Int64(bytes[at] >> 1 & 0x07) << 30
    let middle = Int64(bytes[at + 1]) << 22 | Int64(bytes[at + 2] >> 1) << 15
    return high | middle | Int64(bytes[at + 3]) << 7 | Int64(bytes[at + 4] >> 1)
  }
}
