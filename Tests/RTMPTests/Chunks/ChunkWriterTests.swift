import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@Suite struct ChunkWriterTests {
  @Test("written messages are read back, at any chunk size", arguments: [1, 2, 127, 128, 129, 4096, 0xff_ffff])
  func roundTrip(chunkSize: Int) throws {
    var random = SeededGenerator(seed: UInt64(chunkSize))
    var writer = ChunkWriter()
    var bytes: [UInt8] = []
    writer.setChunkSize(chunkSize, into: &bytes)
    var sent: [RTMPMessage] = []
    var time = UInt32.max - 100_000
    for _ in 0..<200 {
      time &+= UInt32.random(in: 0...2000, using: &random)
      let channel: ChunkWriter.Channel = Bool.random(using: &random) ? .audio : .video
      let message = RTMPMessage(
        type: channel == .audio ? .audio : .video, stream: MessageStreamID(1),
        // Some timestamps go back, or jump far ahead.
        timestamp: random.next() % 20 == 0 ? UInt32.random(in: 0...UInt32.max, using: &random) : time,
        payload: random.bytes([0, 1, 127, 128, 129, 256, 700][Int.random(in: 0..<7, using: &random)]))
      sent.append(message)
      writer.write(message, on: channel, into: &bytes)
    }
    var reader = ChunkReader()
    #expect(try reader.messages(bytes, step: 1000) == sent)
  }

  @Test("a stream's later messages omit the header fields of earlier ones")
  func headers() {
    var writer = ChunkWriter()
    var bytes: [UInt8] = []
    let payload: [UInt8] = [1, 2, 3]
    for (time, count) in [(1000, 3), (1040, 3), (1080, 2)] as [(UInt32, Int)] {
      let message = RTMPMessage(
        type: .video, stream: MessageStreamID(1), timestamp: time, payload: Array(payload.prefix(count)))
      writer.write(message, on: .video, into: &bytes)
    }
    #expect(
      bytes == [0x06, 0, 0x03, 0xe8, 0, 0, 3, 9, 1, 0, 0, 0, 1, 2, 3] + [0x86, 0, 0, 40, 1, 2, 3]
        + [0x46, 0, 0, 40, 0, 0, 2, 9, 1, 2])
  }

  @Test("an extended timestamp is repeated in each chunk")
  func extended() {
    let prepared = PreparedMedia(
      MediaMessage(.video, timestamp: 0x0100_0000, payload: [1, 2, 3, 4, 5]), chunkSize: 3, stream: MessageStreamID(1))
    #expect(
      prepared.bytes == [0x06, 0xff, 0xff, 0xff, 0, 0, 5, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 0xc6, 1, 0, 0, 0, 4, 5])
  }

  @Test("control messages survive a round trip")
  func control() throws {
    let messages: [ControlMessage] = [
      .setChunkSize(4096), .abort(chunkStream: 5), .acknowledgement(0xffff_fff0), .windowAcknowledgementSize(5_000_000),
      .setPeerBandwidth(1, .soft), .user(.streamBegin(MessageStreamID(1))), .user(.streamEnd(MessageStreamID(1))),
      .user(.streamDry(MessageStreamID(2))), .user(.setBufferLength(MessageStreamID(1), milliseconds: 3000)),
      .user(.streamIsRecorded(MessageStreamID(3))), .user(.pingRequest(77)), .user(.pingResponse(78)), .user(.other(26)),
    ]
    for message in messages { #expect(ControlMessage(message.message) == message) }
    for message in messages {
      for length in 0..<message.message.payload.count {
        var short = message.message
        short.payload.removeLast(short.payload.count - length)
        _ = ControlMessage(short)
      }
    }
  }

  @Test("an aggregate's parts have its time and keep their distances")
  func aggregate() throws {
    var payload: [UInt8] = []
    for message in [videoMessage(500), audioMessage(510), videoMessage(540)] { payload += FLVStream.tag(message) }
    let message = RTMPMessage(type: .aggregate, stream: MessageStreamID(1), timestamp: 9000, payload: payload)
    let parts = try Array(#require(AggregateMessage(message)))
    #expect(parts.map(\.timestamp) == [9000, 9010, 9040])
    #expect(parts.map(\.type) == [.video, .audio, .video])
    #expect(parts[1].payload == audioMessage(510).payload)
    #expect(AggregateMessage(RTMPMessage(type: .video, payload: payload)) == nil)
    for length in 0..<payload.count {
      let cut = RTMPMessage(type: .aggregate, timestamp: 9000, payload: Array(payload.prefix(length)))
      #expect(try Array(#require(AggregateMessage(cut))).count <= 3)
    }
  }
}
