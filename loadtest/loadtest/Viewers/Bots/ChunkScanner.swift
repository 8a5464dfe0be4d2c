import RoomRTMP

/// Follows a chunk stream (RTMP 1.0 §5.3) by its headers: reports which messages arrived, and keeps only the payload of control
/// messages. A thousand viewers must cost less than the server that they measure.
struct ChunkScanner {
  /// The peer's chunk stream can't be parsed.
  struct Failure: Error {
    var reason: String
  }

  private struct ChunkStream {
    var message = ScannedMessage(type: MessageType(rawValue: 0), length: 0)
    /// The timestamp delta of a type 3 chunk that starts a message.
    var step: UInt32 = 0
    var isExtended = false
    var isKnown = false
    /// Bytes received of the unfinished message.
    var came = 0
    var isUnfinished = false
  }

  /// Chunk streams with a one-byte basic header; servers use no others.
  private var streams = [ChunkStream](repeating: ChunkStream(), count: 64)
  private var chunkSize = 128
  /// The part of a chunk's header received so far.
  private var header: [UInt8] = []
  private var current = 0
  /// Remaining bytes of the current chunk.
  private var rest = 0
  /// The part of a control message received so far.
  private var control: [UInt8] = []

  /// Bytes scanned so far.
  private(set) var bytesRead: UInt64 = 0

  /// Scans `bytes` and calls `found` with each message that they complete; `payload` is that of a control message.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, _ found: (_ message: ScannedMessage, _ payload: [UInt8]) -> Void
  ) throws(Failure) {
    bytesRead &+= UInt64(bytes.count)
    var offset = 0
    while offset < bytes.count {
      if rest > 0 {
        let count = min(rest, bytes.count - offset)
        try pass(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), found)
        offset += count
      } else {
        header.append(bytes[offset])
        offset += 1
        try begin(found)
      }
    }
  }

  private mutating func begin(
    _ found: (_ message: ScannedMessage, _ payload: [UInt8]) -> Void
  ) throws(Failure) {
    let id = Int(header[0] & 0x3f)
    guard id >= 2 else { throw Failure(reason: "an invalid chunk stream id") }
    let format = header[0] >> 6
    var length = format == 0 ? 12 : format == 1 ? 8 : format == 2 ? 4 : 1
    guard header.count >= length else { return }
    var stream = streams[id]
    guard format == 0 || stream.isKnown else { throw Failure(reason: "a compressed chunk header without a preceding full one") }
    let isExtended = format == 3 ? stream.isExtended : field(1) == 0xff_ffff
    if isExtended { length += 4 }
    guard header.count >= length else { return }
    if format < 3 {
      stream.isUnfinished = false
      stream.isExtended = isExtended
      stream.step = isExtended ? field(length - 4) << 8 | UInt32(header[length - 1]) : field(1)
      if format < 2 {
        stream.message.length = Int(field(4))
        stream.message.type = MessageType(rawValue: header[7])
      }
    }
    if !stream.isUnfinished {
      stream.message.timestamp = format == 0 ? stream.step : stream.message.timestamp &+ stream.step
      stream.came = 0
      stream.isUnfinished = true
      stream.isKnown = true
    }
    streams[id] = stream
    header.removeAll(keepingCapacity: true)
    current = id
    rest = min(chunkSize, stream.message.length - stream.came)
    if rest == 0 { try finish(found) }
  }

  private func field(_ offset: Int) -> UInt32 {
    UInt32(header[offset]) << 16 | UInt32(header[offset + 1]) << 8 | UInt32(header[offset + 2])
  }

  /// Skips a part of the current chunk's payload.
  private mutating func pass(
    _ bytes: UnsafeRawBufferPointer, _ found: (_ message: ScannedMessage, _ payload: [UInt8]) -> Void
  ) throws(Failure) {
    let came = streams[current].came
    if came == 0, let byte = bytes.first { streams[current].message.first = byte }
    if came < 2, came + bytes.count > 1 { streams[current].message.second = bytes[1 - came] }
    if streams[current].message.type.rawValue <= MessageType.setPeerBandwidth.rawValue {
      if came == 0 { control = [] }
      control += bytes.prefix(max(0, 64 - control.count))
    }
    streams[current].came += bytes.count
    rest -= bytes.count
    if streams[current].came == streams[current].message.length { try finish(found) }
  }

  private mutating func finish(
    _ found: (_ message: ScannedMessage, _ payload: [UInt8]) -> Void
  ) throws(Failure) {
    streams[current].isUnfinished = false
    let message = streams[current].message
    guard message.type.rawValue <= MessageType.setPeerBandwidth.rawValue else { return found(message, []) }
    if message.type == .setChunkSize, control.count >= 4 {
      let size = control.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard (1..<1 << 31).contains(size) else { throw Failure(reason: "an invalid chunk size: \(size)") }
      chunkSize = size
    }
    found(message, control)
  }
}
