import RoomRTMP

/// Follows an FLV stream (FLV 10.1 §E.2, §E.3) by its tags' headers.
struct FLVScanner {
  private static let start = Array("FLV\u{1}".utf8)

  private enum Part {
    /// The stream's header and the length field for tag 0 that follows it.
    case start
    case tagHeader
    case data
    /// The length of the previous tag.
    case length
  }

  private var part = Part.start
  /// The part of a header received so far.
  private var header: [UInt8] = []
  private var message = ScannedMessage(type: MessageType(rawValue: 0), length: 0)
  private var came = 0

  /// Scans `bytes` and calls `found` with each tag that they complete.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, _ found: (ScannedMessage) -> Void
  ) throws(ChunkScanner.Failure) {
    var offset = 0
    while offset < bytes.count {
      guard part == .data else {
        header.append(bytes[offset])
        offset += 1
        try collected(found)
        continue
      }
      if came == 0 { message.first = bytes[offset] }
      let count = min(message.length - came, bytes.count - offset)
      if came < 2, came + count > 1 { message.second = bytes[offset + 1 - came] }
      came += count
      offset += count
      if came == message.length { whole(found) }
    }
  }

  private mutating func collected(_ found: (ScannedMessage) -> Void) throws(ChunkScanner.Failure) {
    switch part {
    case .start:
      guard header.count == 13 else { return }
      guard header.starts(with: Self.start) else { throw ChunkScanner.Failure(reason: "no FLV") }
      part = .tagHeader
    case .tagHeader:
      guard header.count == 11 else { return }
      message = ScannedMessage(
        type: MessageType(rawValue: header[0] & 0x1f),
        timestamp: UInt32(header[7]) << 24 | UInt32(header[4]) << 16 | UInt32(header[5]) << 8 | UInt32(header[6]),
        length: Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3]))
      came = 0
      part = .data
      if message.length == 0 { whole(found) }
    case .length:
      guard header.count == 4 else { return }
      let length = header.reduce(0) { $0 << 8 | Int($1) }
      guard length == message.length + 11 else {
        throw ChunkScanner.Failure(reason: "a tag of \(message.length) bytes is followed by the length \(length)")
      }
      part = .tagHeader
    case .data: return
    }
    header.removeAll(keepingCapacity: true)
  }

  private mutating func whole(_ found: (ScannedMessage) -> Void) {
    found(message)
    part = .length
  }
}
