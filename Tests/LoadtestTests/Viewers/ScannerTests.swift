import RoomRTMP
import RoomRTP
import Testing

@testable import RoomLoadtest

@Suite("Scanning a stream by its headers")
struct ScannerTests {
  /// A server's output: small control messages and frames of several sizes, in chunks.
  private static let media: [MediaMessage] = [
    MediaMessage(.data, timestamp: 0, payload: Array(repeating: 2, count: 300)),
    MediaMessage(.video, timestamp: 0, payload: [0x17, 0] + Array(repeating: 1, count: 40)),
    MediaMessage(.audio, timestamp: 0, payload: [0xaf, 0, 0x11, 0x90]),
    MediaMessage(.video, timestamp: 7, payload: [0x17, 1] + Array(repeating: 9, count: 9000)),
    MediaMessage(.audio, timestamp: 7, payload: [0xaf, 1] + Array(repeating: 3, count: 200)),
    MediaMessage(.audio, timestamp: 28, payload: [0xaf, 1] + Array(repeating: 4, count: 200)),
    MediaMessage(.video, timestamp: 47, payload: [0x27, 1] + Array(repeating: 5, count: 4094)),
    MediaMessage(.video, timestamp: 17_000_000, payload: [0x27, 1] + Array(repeating: 6, count: 8200)),
    MediaMessage(.audio, timestamp: 17_000_001, payload: [0xaf, 1]),
  ]

  private static let kinds: [ScannedMessage.Kind] = [
    .other, .other, .other, .keyFrame, .audioFrame, .audioFrame, .videoFrame, .videoFrame, .audioFrame,
  ]

  private func pieces(_ bytes: [UInt8], of size: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { memory in
      for start in stride(from: 0, to: memory.count, by: size) {
        try body(UnsafeRawBufferPointer(rebasing: memory[start..<min(start + size, memory.count)]))
      }
    }
  }

  @Test("chunks split at any size result in the same messages", arguments: [1, 2, 7, 100, 4096, 1 << 20])
  func chunks(size: Int) throws {
    var bytes: [UInt8] = []
    var writer = ChunkWriter()
    writer.setChunkSize(4096, into: &bytes)
    writer.write(ControlMessage.user(.pingRequest(5)).message, on: .control, into: &bytes)
    for media in Self.media {
      let message = RTMPMessage(
        type: media.kind.messageType, stream: MessageStreamID(1), timestamp: media.timestamp, payload: media.payload)
      writer.write(message, on: media.kind == .audio ? .audio : media.kind == .video ? .video : .data, into: &bytes)
    }
    var scanner = ChunkScanner()
    var found: [ScannedMessage] = []
    var controls: [ControlMessage] = []
    try pieces(bytes, of: size) { part in
      try scanner.scan(part) { message, payload in
        guard let control = ControlMessage(RTMPMessage(type: message.type, payload: payload)) else {
          return found.append(message)
        }
        controls.append(control)
      }
    }
    #expect(controls == [.setChunkSize(4096), .user(.pingRequest(5))])
    #expect(found.map(\.kind) == Self.kinds)
    #expect(found.map(\.timestamp) == Self.media.map(\.timestamp))
    #expect(found.map(\.length) == Self.media.map(\.payload.count))
    #expect(scanner.bytesRead == UInt64(bytes.count))
  }

  @Test("tags split at any size result in the same messages", arguments: [1, 3, 64, 5000, 1 << 20])
  func tags(size: Int) throws {
    let bytes = FLVStream.header(hasAudio: true, hasVideo: true) + Self.media.flatMap { FLVStream.tag($0) }
    var scanner = FLVScanner()
    var found: [ScannedMessage] = []
    try pieces(bytes, of: size) { part in try scanner.scan(part) { found.append($0) } }
    #expect(found.map(\.kind) == Self.kinds)
    #expect(found.map(\.timestamp) == Self.media.map(\.timestamp))
  }

  @Test("invalid chunk streams and invalid FLV are rejected")
  func refused() {
    var chunks = ChunkScanner()
    #expect(throws: ChunkScanner.Failure.self) { try pieces([0xc4, 1, 2, 3], of: 4) { try chunks.scan($0) { _, _ in } } }
    var tags = FLVScanner()
    #expect(throws: ChunkScanner.Failure.self) {
      try pieces(Array(repeating: 0, count: 20), of: 20) { try tags.scan($0) { _ in } }
    }
  }

  @Test("a chunked body is reassembled, and another body is passed through", arguments: [1, 5, 1000])
  func body(size: Int) throws {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n"
    let plain = "HTTP/1.0 200 OK\r\nContent-Type: video/x-flv\r\n\r\nabc0123456789"
    for text in [chunked, plain] {
      var body = HTTPBody()
      var found: [UInt8] = []
      try pieces(Array(text.utf8), of: size) { try body.read($0) { found += $0 } }
      #expect(String(decoding: found, as: UTF8.self) == "abc0123456789")
    }
  }

  @Test("a rejection and the end of the response have a readable reason")
  func ends() throws {
    var refused = HTTPBody()
    let error = try #require(throws: ChunkScanner.Failure.self) {
      try pieces(Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8), of: 100) { try refused.read($0) { _ in } }
    }
    #expect(error.reason == "the server responded with status HTTP/1.1 404 Not Found")
    var ended = HTTPBody()
    #expect(throws: ChunkScanner.Failure.self) {
      let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
      try pieces(Array(text.utf8), of: 100) { try ended.read($0) { _ in } }
    }
  }

  @Test("pings are answered, and a window of bytes is acknowledged once")
  func answers() throws {
    var answers = MessageAnswers()
    var output: [UInt8] = []
    answers.take(ControlMessage.windowAcknowledgementSize(1000).message, answers: true, into: &output)
    answers.acknowledge(999, into: &output)
    #expect(output.isEmpty)
    answers.acknowledge(1500, into: &output)
    answers.acknowledge(1600, into: &output)
    answers.take(ControlMessage.user(.pingRequest(7)).message, answers: true, into: &output)
    answers.take(ControlMessage.user(.pingRequest(8)).message, answers: false, into: &output)
    var reader = ChunkReader()
    var said: [ControlMessage] = []
    try output.withUnsafeBytes { bytes in
      var rest = bytes
      while let message = try reader.read(&rest) { if let control = ControlMessage(message) { said.append(control) } }
    }
    #expect(said == [.acknowledgement(1500), .user(.pingResponse(7))])
  }
}
