import Testing

@testable import RoomLoadtest

@Suite("The WebSocket of crowd clients")
struct SignalFramesTests {
  private static let response = Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8)

  private func client() -> SignalFrames {
    var frames = SignalFrames(host: "h", port: 80, path: "/v1/signal?x=1")
    #expect(String(decoding: frames.takeOutput(), as: UTF8.self).hasPrefix("GET /v1/signal?x=1 HTTP/1.1\r\nHost: h:80\r\n"))
    return frames
  }

  private func text(_ bytes: [UInt8]) -> [UInt8] {
    switch bytes.count {
    case ..<126: [0x81, UInt8(bytes.count)] + bytes
    case ..<0x1_0000: [0x81, 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    default: [0x81, 127] + (0..<8).map { UInt8(bytes.count >> (56 - 8 * $0) & 0xFF) } + bytes
    }
  }

  @Test("messages are counted however the network splits them, and kept on request", arguments: [1, 3, 1000, 1_000_000])
  func counting(piece: Int) throws {
    var frames = client()
    let sizes = [0, 1, 125, 126, 65_535, 65_536, 70_000]
    frames.keepsMessages = true
    let bytes = Self.response + sizes.flatMap { text([UInt8](repeating: UInt8(ascii: "x"), count: $0)) }
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { try frames.receive($0) }
    }
    #expect(frames.messages == sizes.count)
    #expect(frames.messageBytes == sizes.reduce(0, +))
    #expect(frames.takeMessages().map(\.count) == sizes)
    frames.keepsMessages = false
    try text([1, 2, 3]).withUnsafeBytes { try frames.receive($0) }
    #expect(frames.messages == sizes.count + 1)
    #expect(frames.takeMessages().isEmpty)
  }

  @Test("a ping is answered with its data, masked")
  func ping() throws {
    var frames = client()
    try (Self.response + [0x89, 2, 7, 9]).withUnsafeBytes { try frames.receive($0) }
    let pong = frames.takeOutput()
    #expect(pong.prefix(2) == [0x8A, 0x82])
    #expect(zip(pong.dropFirst(6), pong.dropFirst(2)).map { $0 ^ $1 } == [7, 9])
    #expect(frames.messages == 0)
  }

  @Test("sent frames are masked text of the right length", arguments: [0, 125, 126, 65_535, 65_536])
  func sending(size: Int) {
    var frames = client()
    let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    frames.send(message)
    let frame = frames.takeOutput()
    let header = size < 126 ? 2 : size < 65_536 ? 4 : 10
    #expect(frame.count == header + 4 + size)
    #expect(frame.first == 0x81)
    let mask = Array(frame[header..<header + 4])
    #expect(frame.dropFirst(header + 4).enumerated().map { $0.element ^ mask[$0.offset % 4] } == message)
  }

  @Test(
    "a rejection, a close or a protocol violation ends the connection with the reason",
    arguments: [
      ("HTTP/1.1 403 Forbidden\r\n\r\n", [], "403"), ("", [0x88, 4, 0x03, 0xF0, 0x6E, 0x6F], "1008 no"),
      ("", [0x01, 1, 65], "frame"), ("", [0x81, 0x81, 0, 0, 0, 0, 65], "frame"), ("", [0xC1, 1, 65], "frame"),
    ])
  func refusals(head: String, bytes: [UInt8], reason: String) {
    var frames = client()
    let all = (head.isEmpty ? Self.response : Array(head.utf8)) + bytes
    let error = #expect(throws: LoadtestError.self) { try all.withUnsafeBytes { try frames.receive($0) } }
    #expect("\(error.map { "\($0)" } ?? "")".contains(reason))
  }
}
