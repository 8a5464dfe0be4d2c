import NIOCore
import NIOEmbedded
import Testing

@testable import RoomHTTPServer
@testable import RoomServer

@Suite("Reads stop while a peer can't be written to")
struct BackpressureTests {
  /// The handler between the socket and the tested one.
  private final class Socket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var reads = 0
    /// Whether writes stay pending, as with a peer that does not read.
    var isStuck = false

    func read(context: ChannelHandlerContext) {
      reads += 1
      context.read()
    }

    func flush(context: ChannelHandlerContext) { if !isStuck { context.flush() } }
  }

  private let socket = Socket()

  private func setWritable(_ channel: EmbeddedChannel, _ isWritable: Bool) {
    channel.isWritable = isWritable
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.run()
  }

  private func channel(patience: TimeAmount = .seconds(10), onTimeout: @escaping () -> Void = {}) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers(
      [socket, BackpressureHandler(patience: patience, onTimeout: onTimeout)])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  @Test("a read waits until the peer can be written to, and happens before other handlers fill the channel again")
  func held() throws {
    let channel = try channel()
    channel.read()
    #expect(socket.reads == 1)
    setWritable(channel, false)
    channel.read()
    channel.read()
    #expect(socket.reads == 1)
    setWritable(channel, true)
    #expect(socket.reads == 2)
    channel.read()
    #expect(socket.reads == 3)
    _ = try channel.finish()
  }

  @Test("a peer that reads nothing is closed at the deadline")
  func deadline() throws {
    var timeouts = 0
    let channel = try channel { timeouts += 1 }
    channel.write(ByteBuffer(repeating: 0, count: 100), promise: nil)
    setWritable(channel, false)
    channel.embeddedEventLoop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(timeouts == 1)
  }

  @Test("a peer that reads occasionally stays connected")
  func slow() throws {
    let channel = try channel { Issue.record("it reads") }
    setWritable(channel, false)
    for _ in 0..<10 {
      channel.writeAndFlush(ByteBuffer(repeating: 0, count: 100), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .seconds(9))
    }
    #expect(channel.isActive)
    setWritable(channel, true)
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  // MARK: Signalling

  private func signalling() throws -> (EmbeddedChannel, AsyncStream<ByteBuffer>) {
    let channel = EmbeddedChannel()
    let (messages, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    try channel.pipeline.syncOperations.addHandler(socket)
    try SignallingServer.addHandlers(
      to: channel.pipeline.syncOperations, messages: continuation, ServerConfiguration(keys: [:]), ServerCounters())
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return (channel, messages)
  }

  private func pings(_ numbers: Range<Int>) -> ByteBuffer {
    var buffer = ByteBuffer()
    for number in numbers { buffer.writeBytes(Frame(opcode: 9, payload: Array("\(number)".utf8)).bytes(masked: true)) }
    return buffer
  }

  private func pongs(_ channel: EmbeddedChannel) throws -> [String] {
    var bytes: [UInt8] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    var pongs: [String] = []
    while let frame = Frame(taking: &bytes) { pongs.append(String(decoding: frame.payload, as: UTF8.self)) }
    return pongs
  }

  @Test("a client that reads gets a pong to each of its pings")
  func answered() throws {
    let (channel, messages) = try signalling()
    try channel.writeInbound(pings(0..<500))
    #expect(try pongs(channel) == (0..<500).map { "\($0)" })
    _ = try channel.finish()
    withExtendedLifetime(messages) {}
  }

  @Test("a client that does not read gets few pongs, is not read meanwhile, and has its last ping answered")
  func unread() throws {
    let (channel, messages) = try signalling()
    socket.isStuck = true
    for part in 0..<100 { try channel.writeInbound(pings(part * 100..<part * 100 + 100)) }
    #expect(try channel.getOption(.bufferedWritableBytes).wait() < 64 * 8)
    let reads = socket.reads
    channel.read()
    #expect(socket.reads == reads)
    socket.isStuck = false
    channel.flush()
    channel.embeddedEventLoop.run()
    let pongs = try pongs(channel)
    #expect(pongs.count < 70 && pongs.first == "0" && pongs.last == "9999", "\(pongs)")
    #expect(socket.reads == reads + 1)
    _ = try channel.finish()
    withExtendedLifetime(messages) {}
  }

  @Test("a client that is not writable gets nothing, and its last ping is answered when it is")
  func unwritable() throws {
    let (channel, messages) = try signalling()
    setWritable(channel, false)
    for part in 0..<100 { try channel.writeInbound(pings(part * 100..<part * 100 + 100)) }
    #expect(try pongs(channel) == [])
    setWritable(channel, true)
    #expect(try pongs(channel) == ["9999"])
    _ = try channel.finish()
    withExtendedLifetime(messages) {}
  }
}
