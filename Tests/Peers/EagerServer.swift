import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A WebSocket server on 127.0.0.1 whose first message is in one TCP segment with the answer to the upgrade.
public final class EagerServer: Sendable {
  private let listener: any Channel

  public var port: Int { listener.localAddress?.port ?? 0 }

  /// Starts the server.
  public init(_ opcode: WebSocketOpcode, _ message: String) async throws {
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let output = HeldOutput()
          try channel.pipeline.syncOperations.addHandler(output)
          let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in
              channel.write(WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(string: message)), promise: nil)
              channel.triggerUserOutboundEvent(HeldOutput.Release(), promise: nil)
              return channel.eventLoop.makeSucceededVoidFuture()
            })
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  public func stop() async throws { try await listener.close() }

  /// Joins all bytes up to the release into one write.
  private final class HeldOutput: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Release: Sendable {}

    private var held: ByteBuffer? = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard held != nil else { return context.write(data, promise: promise) }
      var bytes = Self.unwrapOutboundIn(data)
      held?.writeBuffer(&bytes)
      promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
      if held == nil { context.flush() }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
      guard event is Release, let bytes = held else {
        return context.triggerUserOutboundEvent(event, promise: promise)
      }
      held = nil
      context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: promise)
    }
  }
}
