import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import RoomEngine

@Suite("A message as a WebSocket frame")
struct SignalFrameTests {
  private static let sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000]

  /// Returns the output of the pipeline's own encoder.
  private func encoded(_ message: ByteBuffer) throws -> [UInt8] {
    let channel = EmbeddedChannel(handler: WebSocketFrameEncoder())
    try channel.writeOutbound(WebSocketFrame(fin: true, opcode: .text, data: message))
    var bytes: [UInt8] = []
    while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
    _ = try channel.finish()
    return bytes
  }

  private func text(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 26) } }

  @Test("a frame equals the output of NIO's encoder", arguments: sizes)
  func frames(size: Int) throws {
    let message = SignalFrame.message(text(size))
    #expect(Array(message.readableBytesView) == text(size))
    #expect(Array(SignalFrame.framed(message).readableBytesView) == (try encoded(message)))
  }

  @Test("all receivers of a message share the same memory", arguments: sizes)
  func shared(size: Int) {
    let message = SignalFrame.message(text(size))
    let payload = message.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    let frame = SignalFrame.framed(message)
    let header = frame.readableBytes - size
    #expect(frame.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } == payload - UInt(header))
  }

  @Test("a message without header space in front is framed as well", arguments: sizes)
  func plain(size: Int) throws {
    var message = ByteBuffer(bytes: [0x81, 5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9] + text(size))
    message.moveReaderIndex(forwardBy: 12)
    #expect(Array(SignalFrame.framed(message).readableBytesView) == (try encoded(message)))
    let alone = ByteBuffer(bytes: text(size))
    #expect(Array(SignalFrame.framed(alone).readableBytesView) == (try encoded(alone)))
  }
}
