import RoomRTP

/// Why a chunk stream is invalid. The connection must be closed, because the start of the next chunk is unknown.
public enum ChunkError: Error, Hashable, Sendable {
  /// A chunk omits fields of an earlier chunk of its chunk stream, but there was none.
  case unknownChunkStream(UInt32)
  /// More chunk streams than the limit.
  case tooManyChunkStreams
  /// A message's announced length exceeds the limit.
  case messageTooLong(Int)
  /// The unfinished messages have more bytes than the limit.
  case tooMuchUnfinished
  /// Set Chunk Size with 0, or with its first bit set (RTMP 1.0 §5.4.1).
  case chunkSize(UInt32)
  /// A protocol control message that is too short.
  case malformedControl(MessageType)
}

/// Assembles messages from a chunk stream (RTMP 1.0 §5.3), fed in pieces of any size.
///
/// - Applies Set Chunk Size and Abort where they occur, and does not return them.
/// - Copies each payload byte once, into its message.
/// - Reads the repeated extended timestamp of a type 3 chunk, as the specification requires, and accepts senders that omit it:
///   four
///   bytes that equal the announced timestamp count as its repetition.
/// - If a header begins a message while an earlier one of its chunk stream is unfinished, abandons the earlier one, as ffmpeg
///   does.
public struct ChunkReader: Sendable {
  /// Limits on the memory that a peer may use.
  public struct Limits: Sendable {
    /// Maximum bytes of one message; 8 MiB is enough for any key frame.
    public var messageLength: Int
    /// Maximum number of chunk streams; encoders need six.
    public var chunkStreams: Int
    /// Maximum bytes of all unfinished messages.
    public var unfinishedBytes: Int

    /// Creates limits. The defaults are for media of up to 100 Mbit/s.
    public init(messageLength: Int = 8 << 20, chunkStreams: Int = 64, unfinishedBytes: Int = 12 << 20) {
      self.messageLength = messageLength
      self.chunkStreams = chunkStreams
      self.unfinishedBytes = unfinishedBytes
    }
  }

  /// The largest useful chunk: no message is longer (§5.4.1).
  static let largestChunk = 0xff_ffff

  /// The header fields that the chunks of one chunk stream may omit, and its unfinished message.
  private struct ChunkStream: Sendable {
    let id: UInt32
    var timestamp: UInt32 = 0
    /// The timestamp field of the last chunk of type 0, 1 or 2. A type 3 chunk that begins a message adds it again.
    var step: UInt32 = 0
    var isExtended = false
    var length = 0
    var type = MessageType(rawValue: 0)
    var stream = MessageStreamID.connection
    var isUnfinished = false
    var payload: [UInt8] = []
  }

  /// The limits. The limits may be changed at any time; messages begun before are not checked again.
  public var limits: Limits
  private var streams: [ChunkStream] = []
  private var unfinished = 0
  /// The bytes of a chunk's header received so far.
  private var header: [UInt8] = []
  /// The index of the chunk stream whose payload is being read.
  private var current: Int?
  private var chunkRest = 0
  /// Bytes read as a repeated timestamp that turned out to be payload.
  private var putBack: [UInt8] = []

  /// The peer's chunk size: 128 until it changes it.
  public private(set) var chunkSize = 128
  /// The number of bytes read so far, for Acknowledgement.
  public private(set) var bytesRead: UInt64 = 0
  /// Messages abandoned before they were complete: aborted, or replaced by another message of their chunk stream.
  public private(set) var abandonedMessages = 0

  /// Creates a reader at the start of a chunk stream.
  public init(limits: Limits = Limits()) {
    self.limits = limits
    header.reserveCapacity(18)
  }

  /// Consumes `bytes` until a message is complete. Returns nil if all are consumed and no message is complete.
  public mutating func read(_ bytes: inout UnsafeRawBufferPointer) throws(ChunkError) -> RTMPMessage? {
    let before = bytes.count
    defer { bytesRead &+= UInt64(before - bytes.count) }
    while true {
      if putBack.isEmpty {
        if let message = try consume(&bytes) { return message }
        if putBack.isEmpty { return nil }
      } else {
        let again = putBack
        putBack.removeAll(keepingCapacity: true)
        var result = Result<RTMPMessage?, ChunkError>.success(nil)
        again.withUnsafeBytes { memory in
          var rest = memory
          do throws(ChunkError) { result = .success(try consume(&rest)) } catch { result = .failure(error) }
          putBack += rest
        }
        if let message = try result.get() { return message }
      }
    }
  }

  private mutating func consume(_ bytes: inout UnsafeRawBufferPointer) throws(ChunkError) -> RTMPMessage? {
    while true {
      if let index = current {
        try readPayload(&bytes, into: index)
        guard chunkRest == 0 else { return nil }
        current = nil
        if streams[index].payload.count == streams[index].length, let message = try finish(index) { return message }
      } else {
        guard let byte = bytes.first else { return nil }
        bytes = bytes.part(from: 1)
        header.append(byte)
        try readHeader()
        if !putBack.isEmpty { return nil }
      }
    }
  }

  private mutating func readPayload(_ bytes: inout UnsafeRawBufferPointer, into index: Int) throws(ChunkError) {
    let count = min(chunkRest, bytes.count)
    guard count > 0 else { return }
    unfinished += count
    guard unfinished <= limits.unfinishedBytes else { throw .tooMuchUnfinished }
    if streams[index].payload.isEmpty {
      // Not the announced length, which may be false.
      streams[index].payload.reserveCapacity(min(streams[index].length, max(4096, bytes.count)))
    }
    streams[index].payload.append(contentsOf: bytes.prefix(count))
    bytes = bytes.part(from: count)
    chunkRest -= count
  }

  // MARK: Headers

  /// Parses the header's bytes so far, and begins the chunk once the header is complete.
  private mutating func readHeader() throws(ChunkError) {
    let low = header[0] & 0x3f
    let basicLength = low == 0 ? 2 : low == 1 ? 3 : 1
    guard header.count >= basicLength else { return }
    let id: UInt32 =
      switch low {
      case 0: 64 + UInt32(header[1])
      case 1: 64 + UInt32(header[1]) + UInt32(header[2]) << 8
      default: UInt32(low)
      }
    let format = header[0] >> 6
    if format == 3 { return try readContinuation(id: id, basicLength: basicLength) }
    let messageLength = format == 0 ? 11 : format == 1 ? 7 : 3
    guard header.count >= basicLength + messageLength else { return }
    let field = field24(basicLength)
    if field == 0xff_ffff, header.count < basicLength + messageLength + 4 { return }
    let index = try chunkStream(id, format: format)
    if streams[index].isUnfinished { abandon(index) }
    let extended = field == 0xff_ffff
    let step = extended ? field32(basicLength + messageLength) : field
    streams[index].isExtended = extended
    streams[index].step = step
    streams[index].timestamp = format == 0 ? step : streams[index].timestamp &+ step
    if format < 2 {
      streams[index].length = Int(field24(basicLength + 3))
      streams[index].type = MessageType(rawValue: header[basicLength + 6])
    }
    if format == 0 { streams[index].stream = MessageStreamID(field32(basicLength + 7).byteSwapped) }
    try begin(index)
  }

  /// Reads a type 3 chunk: the next part of a message, or the first of one with the same header as the last.
  private mutating func readContinuation(id: UInt32, basicLength: Int) throws(ChunkError) {
    let index = try chunkStream(id, format: 3)
    if streams[index].isExtended {
      let repeated = header.count - basicLength
      let announced = streams[index].step.bigEndian
      let isEqual = withUnsafeBytes(of: announced) { $0.prefix(repeated).elementsEqual(header[basicLength...]) }
      if isEqual, repeated < 4 { return }
      if !isEqual { putBack = Array(header[basicLength...]) }
    }
    if !streams[index].isUnfinished { streams[index].timestamp &+= streams[index].step }
    try begin(index)
  }

  private mutating func begin(_ index: Int) throws(ChunkError) {
    header.removeAll(keepingCapacity: true)
    if !streams[index].isUnfinished {
      guard streams[index].length <= limits.messageLength else { throw .messageTooLong(streams[index].length) }
      streams[index].isUnfinished = true
    }
    current = index
    chunkRest = min(chunkSize, streams[index].length - streams[index].payload.count)
  }

  private func field24(_ offset: Int) -> UInt32 {
    UInt32(header[offset]) << 16 | UInt32(header[offset + 1]) << 8 | UInt32(header[offset + 2])
  }

  private func field32(_ offset: Int) -> UInt32 { field24(offset) << 8 | UInt32(header[offset + 3]) }

  /// Returns the index of the chunk stream. Accepts one that begins with type 1, as SRS does, because of old librtmp versions.
  private mutating func chunkStream(_ id: UInt32, format: UInt8) throws(ChunkError) -> Int {
    if let index = streams.firstIndex(where: { $0.id == id }) { return index }
    guard format < 2 else { throw .unknownChunkStream(id) }
    guard streams.count < limits.chunkStreams else { throw .tooManyChunkStreams }
    streams.append(ChunkStream(id: id))
    return streams.count - 1
  }

  // MARK: Whole messages

  private mutating func finish(_ index: Int) throws(ChunkError) -> RTMPMessage? {
    let message = RTMPMessage(
      type: streams[index].type, stream: streams[index].stream, timestamp: streams[index].timestamp,
      payload: streams[index].payload)
    forget(index)
    switch message.type {
    case .setChunkSize:
      let size = try Self.parameter(message)
      guard size > 0, size < 1 << 31 else { throw .chunkSize(size) }
      chunkSize = min(Int(size), Self.largestChunk)
      return nil
    case .abort:
      let id = try Self.parameter(message)
      if let aborted = streams.firstIndex(where: { $0.id == id && $0.isUnfinished }) { abandon(aborted) }
      return nil
    default:
      return message
    }
  }

  private static func parameter(_ message: RTMPMessage) throws(ChunkError) -> UInt32 {
    guard message.payload.count >= 4 else { throw .malformedControl(message.type) }
    return message.payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func abandon(_ index: Int) {
    abandonedMessages &+= 1
    forget(index)
  }

  private mutating func forget(_ index: Int) {
    unfinished -= streams[index].payload.count
    streams[index].payload = []
    streams[index].isUnfinished = false
  }
}
