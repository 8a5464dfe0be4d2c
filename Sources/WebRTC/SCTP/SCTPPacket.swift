/// A received SCTP packet with a correct checksum (RFC 9260 §3), and its chunks. Valid only as long as the buffer.
struct SCTPPacket {
  static let headerLength = 12

  let sourcePort: UInt16
  let destinationPort: UInt16
  let verificationTag: UInt32
  private let bytes: UnsafeRawBufferPointer

  /// Returns nil if the packet is too short or its checksum is wrong.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerLength + SCTPChunk.headerLength else { return nil }
    guard UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) == CRC32C.checksum(ofPacket: bytes)
    else { return nil }
    sourcePort = bytes.bigEndian16(at: 0)
    destinationPort = bytes.bigEndian16(at: 2)
    verificationTag = bytes.bigEndian32(at: 4)
    self.bytes = bytes
  }

  /// The chunks up to the first one that is malformed.
  var chunks: TLVSequence<SCTPChunk> { TLVSequence(UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength...])) }
}

/// A chunk of a packet (RFC 9260 §3.2): its type, its flags and what follows.
struct SCTPChunk: TLV {
  static let headerLength = 4

  enum Kind: UInt8 {
    case data = 0, initiation, initiationAck, sack, heartbeat, heartbeatAck, abort, shutdown, shutdownAck, error, cookieEcho
    case cookieAck
    case shutdownComplete = 14
    case reconfiguration = 130
    case forwardTSN = 192
  }

  let type: UInt8
  let flags: UInt8
  let value: UnsafeRawBufferPointer

  init(head: (UInt8, UInt8), value: UnsafeRawBufferPointer) {
    (type, flags) = head
    self.value = value
  }

  var kind: Kind? { Kind(rawValue: type) }
}

/// A parameter of a chunk (RFC 9260 §3.2.1), or a cause of an error (§3.3.10).
struct SCTPParameter: TLV {
  let type: UInt16
  let value: UnsafeRawBufferPointer

  init(head: (UInt8, UInt8), value: UnsafeRawBufferPointer) {
    type = UInt16(head.0) << 8 | UInt16(head.1)
    self.value = value
  }
}

/// What has two bytes, a length of 16 bits that includes these four bytes, a value, and padding to a multiple of four.
protocol TLV {
  init(head: (UInt8, UInt8), value: UnsafeRawBufferPointer)
}

/// Reads TLVs up to the end, or to the first one whose length is wrong.
struct TLVSequence<Element: TLV>: Sequence, IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Element? {
    guard bytes.count - offset >= 4 else { return nil }
    let length = Int(bytes.bigEndian16(at: offset + 2))
    guard length >= 4, length <= bytes.count - offset else { return nil }
    defer { offset = Swift.min(bytes.count, offset + (length + 3) & ~3) }
    return Element(
      head: (bytes[offset], bytes[offset + 1]),
      value: UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + length)]))
  }
}
