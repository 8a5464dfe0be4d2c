import NIOCore
import NIOPosix
import NIOTLS
import RoomTLS
import RoomTestSupport
import Testing

/// A TCP connection whose every byte the test controls.
final class Wire: Sendable {
  private let channel: any Channel
  private let inbox: Shared<Inbox>

  struct Inbox {
    var bytes: [UInt8] = []
    var isClosed = false
    var isSecured = false
  }

  private init(_ channel: any Channel, _ inbox: Shared<Inbox>) {
    self.channel = channel
    self.inbox = inbox
  }

  /// - Parameters:
  ///   - trusted: connects with TLS, only to a server with this certificate for localhost.
  ///   - ciphers: connects with TLS 1.2, and these cipher suites alone.
  static func connect(
    port: UInt16, host: String = "127.0.0.1", trusting trusted: String? = nil, ciphers: String? = nil
  ) async throws -> Wire {
    let inbox = Shared(Inbox())
    let tls = try trusted.map { certificate in
      try ciphers.map { try TLSContext(trusting: .text(certificate), ciphersOfTLS12: $0) }
        ?? TLSContext(trusting: .text(certificate))
    }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: "localhost"))
          }
          try channel.pipeline.syncOperations.addHandler(Collector(inbox))
        }
      }
      .connect(host: host, port: Int(port)).get()
    if tls != nil { try await eventually("the end of the handshake") { inbox.withLock { $0.isSecured || $0.isClosed } } }
    return Wire(channel, inbox)
  }

  func send(_ bytes: some Sequence<UInt8>) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
  func send(_ text: String) { send(text.utf8) }
  func close() { channel.close(promise: nil) }
  /// Ends what it sends, and continues to read.
  func endOutput() async throws {
    try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
    try await channel.close(mode: .output).get()
  }
  /// Closes the socket without a TLS close notification.
  func cut() {
    channel.eventLoop.execute { [channel] in
      let tls = try? channel.pipeline.syncOperations.context(handlerType: TLSHandler.self)
      if let tls { tls.close(promise: nil) } else { channel.close(promise: nil) }
    }
  }
  /// Stops reading and keeps the connection, like a client that does not read or has lost its network.
  func freeze() async throws { try await channel.setOption(ChannelOptions.autoRead, value: false).get() }

  var isClosed: Bool { inbox.withLock { $0.isClosed } }

  /// Calls `take` to remove a value from the received bytes, until it returns one.
  func next<Value: Sendable>(within time: Duration = .seconds(60), _ take: (inout [UInt8]) throws -> Value?) async throws
    -> Value
  {
    try await eventually("bytes", within: time) {
      try inbox.withLock { try take(&$0.bytes) }
    }
  }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    let inbox: Shared<Inbox>
    init(_ inbox: Shared<Inbox>) { self.inbox = inbox }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = Self.unwrapInboundIn(data)
      inbox.withLock { $0.bytes.append(contentsOf: buffer.readableBytesView) }
    }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted = event as? TLSUserEvent { inbox.withLock { $0.isSecured = true } }
    }
    func channelInactive(context: ChannelHandlerContext) { inbox.withLock { $0.isClosed = true } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
