import NIOCore
import NIOPosix
import RoomTLS

/// Opens connections to servers and Sentinels, with TLS if the address demands it.
struct RedisTransport: Sendable {
  private let tls: TLSContext?

  /// - Throws: if the file of authorities can't be read.
  init(_ url: RedisURL) throws(RedisFault) {
    guard url.usesTLS else {
      tls = nil
      return
    }
    do {
      tls = try TLSContext(trusting: url.authorities.map { .file($0) } ?? .system)
    } catch {
      throw .notReachable("\(error)")
    }
  }

  /// Connects. The handler is called on the loop.
  func connect(
    to endpoint: RedisURL.Endpoint, within time: TimeAmount, on loop: any EventLoop,
    handler: @escaping @Sendable () -> RedisHandler
  ) -> EventLoopFuture<any Channel> {
    ClientBootstrap(group: loop)
      .connectTimeout(time)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [tls] channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: endpoint.host)) }
          try channel.pipeline.syncOperations.addHandler(handler())
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
  }
}

/// Passes the bytes and the end of a connection on. The end is reported once.
final class RedisHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let received: (ByteBufferView) -> Void
  private var ended: ((RedisFault) -> Void)?

  init(received: @escaping (ByteBufferView) -> Void, ended: @escaping (RedisFault) -> Void) {
    self.received = received
    self.ended = ended
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { received(unwrapInboundIn(data).readableBytesView) }

  func channelInactive(context: ChannelHandlerContext) { end(.closed) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(.notReachable("\(error)"))
    context.close(promise: nil)
  }

  private func end(_ fault: RedisFault) {
    ended?(fault)
    ended = nil
  }
}
