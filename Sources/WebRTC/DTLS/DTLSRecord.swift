/// The 13-byte header of a DTLS 1.2 record (RFC 6347 §4.1) and its range in a datagram.
struct DTLSRecord {
  static let headerLength = 13

  enum ContentType: UInt8 { case changeCipherSpec = 20, alert, handshake, applicationData }

  let type: ContentType
  let epoch: UInt16
  /// The range of header and body in the parsed buffer.
  let range: Range<Int>

  /// Parses the record at `offset`; nil if it is incomplete.
  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard offset + Self.headerLength <= bytes.count, let type = ContentType(rawValue: bytes[offset]),
      // DTLS 1.2, and DTLS 1.0, which first flights use.
      bytes[offset + 1] == 0xFE, bytes[offset + 2] >= 0xFD
    else { return nil }
    let end = offset + Self.headerLength + Int(bytes.bigEndian16(at: offset + 11))
    guard end <= bytes.count else { return nil }
    self.type = type
    epoch = bytes.bigEndian16(at: offset + 3)
    range = offset..<end
  }
}

/// One flight of messages, kept until the other side answers (RFC 6347 §4.2.4).
///
/// OpenSSL repeats flights by the system clock. Here they are repeated by the caller's time, so the records are stored as they
/// were written. In epoch 0 each repetition gets new record numbers, which are not protected there; a peer may drop a number
/// that it has already received. An epoch 1 record (Finished) is repeated unchanged: a peer that could read it the first time
/// does not need it again.
struct DTLSFlight {
  private(set) var records: [[UInt8]] = []
  /// The next record number of epoch 0. OpenSSL's own numbers are replaced, so that repetitions never collide with them.
  private var sequence: UInt64 = 0

  var isEmpty: Bool { records.isEmpty }

  /// Takes OpenSSL's output and returns the datagrams to send. If it contains a handshake message, it becomes the flight to
  /// repeat; an alert is sent once.
  mutating func replace(with written: [UInt8], mtu: Int) -> [[UInt8]] {
    var fresh: [[UInt8]] = []
    var isHandshake = false
    written.withUnsafeBytes { bytes in
      var offset = 0
      while let record = DTLSRecord(bytes, at: offset) {
        fresh.append(Array(bytes[record.range]))
        isHandshake = isHandshake || record.type == .handshake || record.type == .changeCipherSpec
        offset = record.range.upperBound
      }
    }
    let datagrams = pack(fresh, mtu: mtu)
    if isHandshake { records = fresh }
    return datagrams
  }

  /// Returns the datagrams of the flight again.
  mutating func repeated(mtu: Int) -> [[UInt8]] { pack(records, mtu: mtu) }

  private mutating func pack(_ records: [[UInt8]], mtu: Int) -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    for var record in records {
      if record[3] == 0 && record[4] == 0 {
        for byte in 0..<6 { record[10 - byte] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(byte))) }
        sequence += 1
      }
      if let last = datagrams.indices.last, datagrams[last].count + record.count <= mtu {
        datagrams[last] += record
      } else {
        datagrams.append(record)
      }
    }
    return datagrams
  }
}
