import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomPeers
import RoomTLS
import RoomTestSupport
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("The end of a WebSocket to another node")
struct NodeFramesTests {
  /// Counts the reads that reach the channel.
  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = WebSocketFrame
    var count = 0
    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  private struct Socket {
    let channel = EmbeddedChannel()
    let reads = Reads()
    let end = Guarded<CloseReason?>(nil)
    let messages: AsyncStream<ByteBuffer>

    init() throws {
      let (messages, incoming) = AsyncStream.makeStream(of: ByteBuffer.self)
      self.messages = messages
      try channel.pipeline.syncOperations.addHandlers(reads, NodeFrames(.binary, incoming, end))
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func receive(_ opcode: WebSocketOpcode, _ bytes: [UInt8] = []) throws {
      try channel.writeInbound(WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(bytes: bytes)))
    }

    func sent() throws -> WebSocketFrame? { try channel.readOutbound(as: WebSocketFrame.self) }
  }

  @Test("nothing is read while 64 messages wait")
  func backPressure() throws {
    let socket = try Socket()
    for number in 0..<64 { try socket.receive(.binary, [UInt8(number)]) }
    let before = socket.reads.count
    socket.channel.read()
    #expect(socket.reads.count == before)
    socket.channel.pipeline.triggerUserOutboundEvent(NodeFrames.Consumed(), promise: nil)
    #expect(socket.reads.count == before + 1)
    socket.channel.read()
    #expect(socket.reads.count == before + 2)
  }

  @Test("a node that sends nothing is closed, and one that is not read is not")
  func silence() throws {
    let busy = try Socket()
    for _ in 0..<64 { try busy.receive(.binary, [1]) }
    busy.channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.read)
    #expect(busy.channel.isActive)
    let silent = try Socket()
    silent.channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.read)
    #expect(!silent.channel.isActive)
  }

  @Test(
    "the reason of the other node's close is known when the messages have ended, and its frame is answered",
    arguments: CloseReason.allCases)
  func closed(reason: CloseReason) async throws {
    let socket = try Socket()
    try socket.receive(.binary, [1])
    try socket.receive(.connectionClose, [UInt8(reason.code >> 8), UInt8(reason.code & 0xFF)] + Array(reason.text.utf8))
    var received: [[UInt8]] = []
    for await message in socket.messages { received.append(Array(message.readableBytesView)) }
    #expect(received == [[1]] && socket.end.withLock { $0 } == reason)
    let answer = try #require(try socket.sent())
    #expect(answer.opcode == .connectionClose && answer.maskKey != nil && answer.unmaskedData.readableBytes == 2)
    #expect(!socket.channel.isActive)
  }

  @Test("a lost connection has no reason")
  func lost() async throws {
    for bytes in [nil, [], [1], [0x0F, 0xFF]] as [[UInt8]?] {
      let socket = try Socket()
      if let bytes { try socket.receive(.connectionClose, bytes) } else { try await socket.channel.close().get() }
      for await _ in socket.messages {}
      #expect(socket.end.withLock { $0 } == nil)
    }
  }

  @Test("a close waits for the answer, two seconds at most; pings are answered before it")
  func closing() throws {
    for answers in [true, false] {
      let socket = try Socket()
      try socket.receive(.ping, [7])
      // The encoder masks the data.
      #expect(try socket.sent().map { Array($0.data.readableBytesView) } == [7])
      socket.channel.pipeline.triggerUserOutboundEvent(CloseReason.sessionEnded, promise: nil)
      let frame = try #require(try socket.sent())
      #expect(frame.opcode == .connectionClose && Array(frame.data.readableBytesView.prefix(2)) == [0x03, 0xE8])
      #expect(socket.channel.isActive)
      if answers { try socket.receive(.connectionClose) } else { socket.channel.embeddedEventLoop.advanceTime(by: .seconds(2)) }
      #expect(!socket.channel.isActive)
    }
  }

  @Test("a message that arrives with the answer to the upgrade is received") func eager() async throws {
    let server = try await EagerServer(.binary, "welcome")
    let socket = try await NodeSocket.open(
      HTTPRequest(method: "GET", target: "/rtc", query: "", headers: []), to: "http://127.0.0.1:\(server.port)",
      by: try TLSContext(trusting: .system), within: .seconds(10), silence: .seconds(60), isBinary: true)
    let message = try await within(.seconds(10), "the first message") {
      for await message in socket.messages { return String(buffer: message) }
      return "no message"
    }
    #expect(message == "welcome")
    socket.close()
    try await server.stop()
  }
}
