import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("The sockets of an event loop")
struct SignalLoopTests {
  /// The handler nearest to the socket.
  private final class Wire: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var flushes = 0
    /// Whether writes stay pending, as with a client that does not read.
    var isStuck = false

    func flush(context: ChannelHandlerContext) {
      flushes += 1
      if !isStuck { context.flush() }
    }
  }

  /// A socket whose client is the test.
  private struct Client {
    let wire = Wire()
    let channel: EmbeddedChannel
    let socket: SignalSocket

    init(on eventLoop: EmbeddedEventLoop, _ loop: SignalLoop, _ counters: ServerCounters, limit: Int) throws {
      channel = EmbeddedChannel(handlers: [], loop: eventLoop)
      let pipeline = channel.pipeline.syncOperations
      let (messages, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
      let configuration = ServerConfiguration(keys: [:])
      try pipeline.addHandler(wire)
      try SignallingServer.addHandlers(to: pipeline, messages: continuation, configuration, counters)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      socket = SignalSocket(
        channel: channel,
        context: NIOLoopBound(try pipeline.context(handlerType: WebSocketFrameEncoder.self), eventLoop: eventLoop), loop: loop,
        messages: messages, outgoingLimit: limit, counters: counters)
    }

    /// Returns the payloads of the received frames, all shorter than 126 bytes; the code of a close frame. Pings are left out.
    func received() throws -> [String] {
      var bytes: [UInt8] = []
      while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
      var texts: [String] = []
      while bytes.count >= 2 {
        let payload = bytes.dropFirst(2).prefix(Int(bytes[1]))
        let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        if bytes[0] != 0x89 { texts.append(bytes[0] == 0x88 ? "\(code)" : String(decoding: payload, as: UTF8.self)) }
        bytes.removeFirst(2 + payload.count)
      }
      return texts
    }
  }

  private let eventLoop = EmbeddedEventLoop()
  private let counters = ServerCounters()
  private let loop: SignalLoop

  private static let pauses = SignalLoop.Pauses()

  init() { loop = SignalLoop(eventLoop, pauses: Self.pauses, counters: counters) }

  private func client(limit: Int = 1 << 20) throws -> Client { try Client(on: eventLoop, loop, counters, limit: limit) }

  /// Advances time by the longest pause, so that the loop writes.
  private func pass() { eventLoop.advanceTime(by: TimeAmount(Self.pauses.long.longest)) }

  private func message(_ text: String) -> ByteBuffer { SignalFrame.message(text.utf8) }

  @Test("every socket gets the messages at once and in order, and is flushed once")
  func gathered() throws {
    let clients = try (0..<3).map { _ in try client() }
    for text in ["a", "b", "c"] { for client in clients { client.socket.gather(message(text), .short) } }
    for client in clients { #expect(try client.received() == []) }
    eventLoop.run()
    for client in clients {
      #expect(try client.received() == ["a", "b", "c"])
      #expect(client.wire.flushes == 1)
    }
    #expect(counters.values.messagesSent == 9)
    pass()
    clients[1].socket.send(message("d"))
    eventLoop.run()
    #expect(try clients[1].received() == ["d"])
    #expect(clients.map(\.wire.flushes) == [1, 2, 1])
  }

  @Test("the loop pauses in proportion to its last write, and gathers messages meanwhile")
  func pause() throws {
    let clients = try (0..<5).map { _ in try client() }
    for client in clients { client.socket.gather(message("a"), .short) }
    eventLoop.run()
    for text in ["b", "c"] { for client in clients { client.socket.gather(message(text), .short) } }
    eventLoop.advanceTime(by: TimeAmount(Self.pauses.short.time(afterSockets: 5)) - .nanoseconds(1))
    for client in clients { #expect(try client.received() == ["a"]) }
    eventLoop.advanceTime(by: .nanoseconds(1))
    for client in clients {
      #expect(try client.received() == ["b", "c"])
      #expect(client.wire.flushes == 2)
    }
  }

  @Test("without a pause each event is written at once")
  func noPause() throws {
    var pauses = Self.pauses
    pauses.short.longest = .zero
    let loop = SignalLoop(eventLoop, pauses: pauses, counters: counters)
    let clients = try (0..<5).map { _ in try Client(on: eventLoop, loop, counters, limit: 1 << 20) }
    for text in ["a", "b"] {
      for client in clients { client.socket.gather(message(text), .short) }
      eventLoop.run()
      for client in clients { #expect(try client.received() == [text]) }
    }
  }

  @Test("presence events wait longer, and are sent sooner together with other messages")
  func patience() throws {
    let clients = try (0..<5).map { _ in try client() }
    func receive() throws -> [[String]] { try clients.map { try $0.received() } }
    for client in clients { client.socket.gather(message("a joined"), .long) }
    eventLoop.run()
    #expect(try receive() == Array(repeating: ["a joined"], count: 5))
    for client in clients { client.socket.gather(message("b joined"), .long) }
    eventLoop.advanceTime(by: TimeAmount(Self.pauses.long.time(afterSockets: 5)) - .nanoseconds(1))
    #expect(try receive() == Array(repeating: [], count: 5))
    eventLoop.advanceTime(by: .nanoseconds(1))
    #expect(try receive() == Array(repeating: ["b joined"], count: 5))
    for client in clients { client.socket.gather(message("c joined"), .long) }
    for client in clients { client.socket.gather(message("hello"), .short) }
    eventLoop.advanceTime(by: TimeAmount(Self.pauses.short.time(afterSockets: 5)))
    #expect(try receive() == Array(repeating: ["c joined", "hello"], count: 5))
    pass()
    #expect(try receive() == Array(repeating: [], count: 5))
  }

  @Test("an answer does not wait for the pause, and earlier messages are sent with it")
  func answers() throws {
    let clients = try (0..<50).map { _ in try client() }
    for client in clients { client.socket.gather(message("a"), .short) }
    eventLoop.run()
    for client in clients { client.socket.gather(message("b"), .short) }
    let hold = clients[0].socket.hold()
    clients[0].socket.send(message("answer"))
    clients[0].socket.release(hold)
    clients[1].socket.close(.sessionEnded)
    eventLoop.run()
    #expect(try clients[0].received() == ["a", "b", "answer"])
    #expect(try clients[1].received() == ["a", "b", "1000"])
    #expect(try clients[2].received() == ["a"])
    pass()
    #expect(try clients[2].received() == ["b"])
    for client in clients { client.socket.gather(message("c"), .short) }
    eventLoop.run()
    for client in clients { client.socket.gather(message("d"), .short) }
    clients[3].socket.send(message("to one"))
    eventLoop.run()
    #expect(try clients[3].received() == ["a", "b", "c", "d", "to one"])
    #expect(try clients[4].received() == ["a", "b", "c"])
    pass()
    #expect(try clients[0].received() == ["c", "d"])
    clients[0].socket.gather(message("e"), .short)
    pass()
    #expect(try clients[0].received() == ["e"])
  }

  @Test("messages behind a hold wait for it, and keep their order")
  func held() throws {
    let client = try client()
    client.socket.send(message("a"))
    let hold = client.socket.hold()
    client.socket.send(message("b"))
    pass()
    #expect(try client.received() == ["a"])
    client.socket.send(message("c"))
    client.socket.close(.sessionEnded)
    client.socket.send(message("d"))
    pass()
    #expect(try client.received() == [])
    client.socket.release(hold)
    pass()
    #expect(try client.received() == ["b", "c", "1000"])
  }

  @Test("a client is closed when its unsent bytes exceed the limit, without those that the kernel took")
  func slow() throws {
    let client = try client(limit: 1000)
    for _ in 0..<20 {
      client.socket.send(message(String(repeating: "x", count: 100)))
      pass()
    }
    #expect(try client.received().count == 20)
    #expect(!client.socket.isClosing)
    client.wire.isStuck = true
    for _ in 0..<2 { client.socket.send(message(String(repeating: "x", count: 100))) }
    pass()
    #expect(!client.socket.isClosing)
    client.socket.send(message(String(repeating: "x", count: 100)))
    #expect(client.socket.isClosing)
    #expect(counters.values.limits[.slowClient] == 1)
  }

  @Test("a disconnected client gets nothing, and no bytes are counted as unsent")
  func gone() throws {
    let client = try client(limit: 1000)
    _ = try client.channel.finish(acceptAlreadyClosed: true)
    for _ in 0..<10 {
      client.socket.send(message(String(repeating: "x", count: 100)))
      pass()
    }
    #expect(!client.socket.isClosing)
  }
}
