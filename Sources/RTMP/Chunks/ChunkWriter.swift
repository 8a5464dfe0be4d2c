import RoomRTP

/// Splits messages into chunks (RTMP 1.0 §5.3). Copies each payload byte once.
public struct ChunkWriter: Sendable {
  /// The chunk streams that both sessions use (§5.4 requires 2 for control).
  public enum Channel: UInt8, Sendable, CaseIterable {
    case control = 2
    case command = 3
    case audio = 4
    case data = 5
    case video = 6
  }

  /// The fields of the last message on a channel, which the next may omit.
  private struct Last: Sendable {
    var type: MessageType
    var stream: MessageStreamID
    var timestamp: UInt32
    var length: Int
  }

  private var last: [Last?] = Array(repeating: nil, count: 8)

  /// Payload bytes per chunk: 1…0xffffff. Set Chunk Size must be sent to the peer first.
  public private(set) var chunkSize: Int

  /// Creates a writer with the initial chunk size of the specification (§5.4.1).
  public init() { chunkSize = 128 }

  /// Appends Set Chunk Size to `output`. Later messages have chunks of this size, 1…0xffffff.
  public mutating func setChunkSize(_ size: Int, into output: inout [UInt8]) {
    let size = min(max(size, 1), ChunkReader.largestChunk)
    write(ControlMessage.setChunkSize(UInt32(size)).message, on: .control, into: &output)
    chunkSize = size
  }

  /// Appends a message's chunks to `output`.
  public mutating func write(_ message: RTMPMessage, on channel: Channel, into output: inout [UInt8]) {
    message.payload.withUnsafeBytes { payload in
      write(payload, type: message.type, stream: message.stream, timestamp: message.timestamp, on: channel, into: &output)
    }
  }

  /// Appends the chunks of a message with this payload to `output`. The payload must be smaller than 16 MiB.
  public mutating func write(
    _ payload: UnsafeRawBufferPointer, type: MessageType, stream: MessageStreamID, timestamp: UInt32, on channel: Channel,
    into output: inout [UInt8]
  ) {
    let slot = Int(channel.rawValue)
    var step = timestamp
    var format: UInt8 = 0
    if let last = last[slot], last.stream == stream, timestamp &- last.timestamp < 1 << 31 {
      step = timestamp &- last.timestamp
      format = last.type == type && last.length == payload.count ? 2 : 1
    }
    last[slot] = Last(type: type, stream: stream, timestamp: timestamp, length: payload.count)
    Self.write(
      payload, format: format, step: step, type: type, stream: stream, channel: channel, chunkSize: chunkSize, into: &output)
  }

  /// Records that chunks of a message, made elsewhere with a full header, were sent on the channel.
  mutating func wroteElsewhere(on channel: Channel) { last[Int(channel.rawValue)] = nil }

  /// Writes the chunks of one message. The first has a header of `format`, the others have type 3.
  static func write(
    _ payload: UnsafeRawBufferPointer, format: UInt8, step: UInt32, type: MessageType, stream: MessageStreamID,
    channel: Channel, chunkSize: Int, into output: inout [UInt8]
  ) {
    let extended = step >= 0xff_ffff
    let followers = max(0, payload.count - 1) / chunkSize
    output.makeRoom(for: 16 + payload.count + followers * (extended ? 5 : 1))
    output.append(format << 6 | channel.rawValue)
    output.append24(extended ? 0xff_ffff : step)
    if format < 2 {
      output.append24(UInt32(truncatingIfNeeded: payload.count))
      output.append(type.rawValue)
    }
    if format == 0 { output.append32(stream.rawValue.byteSwapped) }
    if extended { output.append32(step) }
    var rest = payload
    while true {
      let count = min(chunkSize, rest.count)
      output.append(contentsOf: rest.prefix(count))
      rest = rest.part(from: count)
      if rest.isEmpty { return }
      output.append(3 << 6 | channel.rawValue)
      // Repeated as in §5.3.1.3; nginx-rtmp, SRS and ffmpeg expect it.
      if extended { output.append32(step) }
    }
  }
}

/// A media message split into chunks once, for any number of viewers. The message's header omits nothing.
public struct PreparedMedia: Sendable {
  /// The original message.
  public let media: MediaMessage
  /// The chunks.
  public let bytes: [UInt8]
  let chunkSize: Int
  let stream: MessageStreamID

  /// Prepares a message for sessions with this chunk size and message stream. Almost every client plays on stream 1.
  public init(_ media: MediaMessage, chunkSize: Int, stream: MessageStreamID = MessageStreamID(1)) {
    self.media = media
    let chunkSize = min(max(chunkSize, 1), ChunkReader.largestChunk)
    self.chunkSize = chunkSize
    self.stream = stream
    var bytes: [UInt8] = []
    media.payload.withUnsafeBytes { payload in
      ChunkWriter.write(
        payload, format: 0, step: media.timestamp, type: media.kind.messageType, stream: stream, channel: media.kind.channel,
        chunkSize: chunkSize, into: &bytes)
    }
    self.bytes = bytes
  }
}

extension MediaMessage.Kind {
  var channel: ChunkWriter.Channel {
    switch self {
    case .audio: .audio
    case .video: .video
    case .data: .data
    }
  }
}
