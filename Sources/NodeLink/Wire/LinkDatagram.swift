import RoomRTP

/// The outer form of a datagram: eight bytes in clear, the sealed body, a tag of 16 bytes. docs/node-link.md has the tables.
enum LinkDatagram {
  enum Kind: UInt8 {
    /// Records of streams. Lost ones are sent again.
    case records = 0x51
    /// Reports, requests and the state of streams. Lost ones are replaced by newer ones.
    case control = 0x52
  }

  static let headerBytes = 8
  static let tagBytes = 16
  /// Headers of IP and UDP.
  static let outerBytes = 28
  static let overhead = headerBytes + tagBytes
  /// The time of sending, in front of the records of a body.
  static let stampBytes = 4
  /// The length to which bodies are filled. Only a body of one record may be longer.
  static let bodyBytes = 1200
  /// The longest datagram: one record of the longest payload with the longest head.
  static let longest = overhead + stampBytes + LinkRecord.longestHead + LinkRecord.payloadLimit
  /// The round trip in microseconds from which on a lost request or repair costs more than the playout can wait: both are sent twice.
  static let longRoundTrip: Int64 = 40_000
  static let highestNumber: UInt64 = 1 << 48 - 1

  /// The bytes in clear.
  struct Header {
    var kind: Kind
    var epoch: UInt8
    /// From 1; each kind has its own numbers.
    var number: UInt64

    init(kind: Kind, epoch: UInt8, number: UInt64) {
      self.kind = kind
      self.epoch = epoch
      self.number = number
    }

    /// Reads the header; returns nil if the bytes can't be a datagram of a link.
    init?(_ datagram: UnsafeRawBufferPointer) {
      guard datagram.count > LinkDatagram.overhead, datagram.count <= LinkDatagram.longest, let base = datagram.baseAddress,
        let kind = Kind(rawValue: base.load8(0))
      else { return nil }
      self.kind = kind
      epoch = base.load8(1)
      number = base.load48(2)
    }

    func write(to target: UnsafeMutableRawPointer) {
      target.store8(kind.rawValue, 0)
      target.store8(epoch, 1)
      target.store48(number, 2)
    }
  }
}

extension UnsafeRawPointer {
  func load48(_ offset: Int) -> UInt64 { UInt64(load16(offset)) << 32 | UInt64(load32(offset + 2)) }
}

extension UnsafeMutableRawPointer {
  func store48(_ value: UInt64, _ offset: Int) {
    store16(UInt16(truncatingIfNeeded: value >> 32), offset)
    store32(UInt32(truncatingIfNeeded: value), offset + 2)
  }
}

extension Instant {
  /// The low 32 bits of the microseconds, as datagrams carry times.
  var stamp: UInt32 { UInt32(truncatingIfNeeded: microseconds) }
}
