import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@Suite struct ChunkReaderTests {
  /// Returns a chunk with a header of type 0.
  private func first(
    _ chunkStream: UInt8, time: [UInt8] = [0, 0, 0], length: Int, type: UInt8 = 9, _ payload: [UInt8], extended: [UInt8] = []
  ) -> [UInt8] {
    let length = [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff)]
    return [chunkStream] + time + length + [type, 1, 0, 0, 0] + extended + payload
  }

  private func message(_ payload: [UInt8], time: UInt32 = 0, type: MessageType = .video) -> RTMPMessage {
    RTMPMessage(type: type, stream: MessageStreamID(1), timestamp: time, payload: payload)
  }

  @Test("the audio of the specification's first example: deltas, then nothing but the payload")
  func specificationExampleAudio() throws {
    // RTMP 1.0 §5.3.2.1: message stream 12345 (little-endian), times 1000, 1020, 1040, 1060, 32 bytes each.
    let payload = [UInt8](repeating: 7, count: 32)
    var bytes: [UInt8] = [3, 0, 0x03, 0xe8, 0, 0, 32, 8, 0x39, 0x30, 0, 0] + payload
    bytes += [0x83, 0, 0, 20] + payload + [0xc3] + payload + [0xc3] + payload
    var reader = ChunkReader()
    let messages = try reader.messages(bytes)
    #expect(messages.map(\.timestamp) == [1000, 1020, 1040, 1060])
    #expect(messages.allSatisfy { $0.type == .audio && $0.stream == MessageStreamID(12345) && $0.payload == payload })
  }

  @Test("the video of the specification's second example: one message in three chunks")
  func specificationExampleVideo() throws {
    // §5.3.2.2: 307 bytes in chunks of 128.
    let payload = (0..<307).map { UInt8($0 & 0xff) }
    var bytes: [UInt8] = [4, 0, 0x03, 0xe8, 0, 1, 0x33, 9, 0x3a, 0x30, 0, 0] + payload[..<128]
    bytes += [0xc4] + payload[128..<256] + [0xc4] + payload[256...]
    for step in [1, 2, 3, 100, 1000] {
      var reader = ChunkReader()
      let messages = try reader.messages(bytes, step: step)
      #expect(messages == [RTMPMessage(type: .video, stream: MessageStreamID(12346), timestamp: 1000, payload: payload)])
      #expect(reader.bytesRead == UInt64(bytes.count))
    }
  }

  @Test(
    "chunk stream ids have one, two or three bytes",
    arguments: [[0x02], [0x3f], [0x00, 5], [0x01, 5, 200]] as [[UInt8]])
  func basicHeaders(basic: [UInt8]) throws {
    let bytes =
      basic + [0, 0, 9, 0, 0, 3, 9, 1, 0, 0, 0, 1, 2, 3] + [basic[0] | 0x80] + basic.dropFirst() + [0, 0, 1, 4, 5, 6]
    var reader = ChunkReader()
    #expect(try reader.messages(bytes, step: 1) == [message([1, 2, 3], time: 9), message([4, 5, 6], time: 10)])
  }

  @Test("chunk streams may be interleaved")
  func interleaving() throws {
    let long = [UInt8](repeating: 1, count: 200)
    let bytes =
      first(6, length: 200, Array(long[..<128])) + first(4, length: 4, type: 8, [9, 9, 9, 9]) + [0xc6] + long[128...]
    var reader = ChunkReader()
    #expect(try reader.messages(bytes) == [message([9, 9, 9, 9], type: .audio), message(long)])
  }

  @Test("a chunk size that changes in the middle of a message applies from the next chunk on")
  func chunkSizeMidMessage() throws {
    let long = (0..<600).map { UInt8($0 & 0xff) }
    var bytes = first(6, length: 600, Array(long[..<128]))
    bytes += [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x01, 0x90]
    bytes += [0xc6] + long[128..<528] + [0xc6] + long[528...]
    var reader = ChunkReader()
    #expect(try reader.messages(bytes) == [message(long)])
    #expect(reader.chunkSize == 400)
  }

  @Test("an aborted message is discarded")
  func abort() throws {
    var bytes = first(6, length: 200, [UInt8](repeating: 1, count: 128))
    bytes += [2, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 6]
    bytes += first(6, time: [0, 0, 5], length: 2, [8, 8])
    var reader = ChunkReader()
    #expect(try reader.messages(bytes) == [message([8, 8], time: 5)])
    #expect(reader.abandonedMessages == 1)
  }

  @Test("a message that another of its chunk stream interrupts is discarded")
  func overtaken() throws {
    let bytes = first(6, length: 200, [UInt8](repeating: 1, count: 128)) + first(6, length: 2, [8, 8])
    var reader = ChunkReader()
    #expect(try reader.messages(bytes) == [message([8, 8])])
    #expect(reader.abandonedMessages == 1)
  }

  @Test("an extended timestamp is read whether or not type 3 chunks repeat it", arguments: [true, false])
  func extendedTimestamp(isRepeated: Bool) throws {
    let time: [UInt8] = [0x01, 0x02, 0x03, 0x04]
    let long = [UInt8](repeating: 5, count: 300)
    let again = isRepeated ? time : []
    var bytes = first(6, time: [0xff, 0xff, 0xff], length: 300, Array(long[..<128]), extended: time)
    bytes += [0xc6] + again + long[128..<256] + [0xc6] + again + long[256...]
    // A delta that needs no extension ends it.
    bytes += [0x46, 0, 0, 10, 0, 0, 2, 9, 6, 6]
    for step in [1, 3, 1000] {
      var reader = ChunkReader()
      #expect(
        try reader.messages(bytes, step: step) == [message(long, time: 0x0102_0304), message([6, 6], time: 0x0102_030e)])
    }
  }

  @Test("payload that begins like the omitted timestamp before it is not lost")
  func likeTimestamp() throws {
    // The rest of the message, 2 bytes, equals the start of the timestamp, but the next chunk does not continue it.
    let time: [UInt8] = [0x01, 0x02, 0x03, 0x04]
    let long = [UInt8](repeating: 5, count: 128) + [1, 2]
    var bytes = first(6, time: [0xff, 0xff, 0xff], length: 130, Array(long[..<128]), extended: time)
    bytes += [0xc6, 1, 2] + first(4, length: 1, type: 8, [7])
    for step in [1, 2, 1000] {
      var reader = ChunkReader()
      #expect(try reader.messages(bytes, step: step) == [message(long, time: 0x0102_0304), message([7], type: .audio)])
    }
  }

  @Test("deltas wrap with the timestamp")
  func wrap() throws {
    let bytes =
      first(6, time: [0xff, 0xff, 0xff], length: 1, [1], extended: [0xff, 0xff, 0xff, 0xf0]) + [0x86, 0, 0, 0x20, 2]
    var reader = ChunkReader()
    #expect(try reader.messages(bytes).map(\.timestamp) == [0xffff_fff0, 0x10])
  }

  @Test("an empty message is a message")
  func empty() throws {
    var reader = ChunkReader()
    #expect(try reader.messages(first(6, length: 0, []) + [0xc6, 0xc6]).count == 3)
  }

  // MARK: Hostile

  @Test("a chunk size of 0 or with its first bit set is refused", arguments: [0, 0x8000_0000, 0xffff_ffff] as [UInt32])
  func badChunkSize(size: UInt32) {
    let field = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
    var reader = ChunkReader()
    #expect(throws: ChunkError.chunkSize(size)) { try reader.messages([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0] + field) }
  }

  @Test("a huge chunk size becomes the largest valid one")
  func absurdChunkSize() throws {
    var reader = ChunkReader()
    _ = try reader.messages([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])
    #expect(reader.chunkSize == 0xff_ffff)
  }

  @Test("control messages that are too short are refused", arguments: [1, 2] as [UInt8])
  func shortControl(type: UInt8) {
    var reader = ChunkReader()
    #expect(throws: ChunkError.malformedControl(MessageType(rawValue: type))) {
      try reader.messages([2, 0, 0, 0, 0, 0, 3, type, 0, 0, 0, 0, 0, 0, 1])
    }
  }

  @Test("a message above the limit is refused at its header")
  func tooLong() {
    var reader = ChunkReader(limits: .init(messageLength: 1000))
    #expect(throws: ChunkError.messageTooLong(1001)) { try reader.messages(first(6, length: 1001, [])) }
  }

  @Test("unfinished messages on many chunk streams are limited together")
  func unfinished() {
    var reader = ChunkReader(limits: .init(messageLength: 1000, chunkStreams: 64, unfinishedBytes: 1000))
    let bytes = (3..<20).flatMap { first(UInt8($0), length: 500, [UInt8](repeating: 0, count: 128)) }
    #expect(throws: ChunkError.tooMuchUnfinished) { try reader.messages(bytes) }
  }

  @Test("more chunk streams than the limit are refused")
  func tooMany() {
    var reader = ChunkReader(limits: .init(chunkStreams: 4))
    let bytes = (3..<8).flatMap { first(UInt8($0), length: 1, [0]) }
    #expect(throws: ChunkError.tooManyChunkStreams) { try reader.messages(bytes) }
  }

  @Test("a chunk that refers to a missing header is refused", arguments: [0x86, 0xc6] as [UInt8])
  func unknown(header: UInt8) {
    var reader = ChunkReader()
    #expect(throws: ChunkError.unknownChunkStream(6)) { try reader.messages([header, 0, 0, 1, 0]) }
  }

  @Test("a first chunk without a message stream is accepted")
  func withoutStream() throws {
    var reader = ChunkReader()
    let messages = try reader.messages([0x46, 0, 0, 5, 0, 0, 1, 9, 3])
    #expect(messages == [RTMPMessage(type: .video, stream: .connection, timestamp: 5, payload: [3])])
  }

  @Test("random and damaged chunks are read or refused, nothing else")
  func fuzz() {
    var random = SeededGenerator(seed: 3)
    for round in 0..<3000 {
      var writer = ChunkWriter()
      var bytes: [UInt8] = []
      for channel in ChunkWriter.Channel.allCases.shuffled(using: &random) {
        writer.setChunkSize(Int.random(in: 1...300, using: &random), into: &bytes)
        let message = RTMPMessage(
          type: .video, timestamp: UInt32.random(in: 0...UInt32.max, using: &random),
          payload: random.bytes(Int.random(in: 0...400, using: &random)))
        writer.write(message, on: channel, into: &bytes)
      }
      var reader = ChunkReader(limits: .init(messageLength: 2000, chunkStreams: 8, unfinishedBytes: 3000))
      let input = round % 5 == 0 ? random.bytes(300) : random.mutate(bytes)
      if let messages = try? reader.messages(input, step: Int.random(in: 1...50, using: &random)) {
        #expect(messages.allSatisfy { $0.payload.count <= 2000 })
      }
    }
  }
}
