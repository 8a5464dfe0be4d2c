import NIOCore
import NIOPosix
import RoomTLS
import RoomTestSupport

/// A TCP relay on a loopback address whose connections can be cut, stalled and refused.
public final class TCPRelay: Sendable {
  private struct State: Sendable {
    var target: Int
    var pairs: [any Channel] = []
    var isOpen = true
    var isStalled = false
  }

  private let listener: any Channel
  private let state: Shared<State>

  private init(_ listener: any Channel, _ state: Shared<State>) {
    self.listener = listener
    self.state = state
  }

  /// Starts the relay.
  /// - Parameter tls: the TLS configuration towards the clients; without it the relay passes the bytes unchanged.
  public static func start(
    to target: Int, tls: TLSContext? = nil, on host: String = "127.0.0.1", port: Int = 0
  ) async throws -> TCPRelay {
    let state = Shared(State(target: target))
    let group = MultiThreadedEventLoopGroup.singleton
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { client in
        let (isOpen, isStalled, target) = state.withLock { ($0.isOpen, $0.isStalled, $0.target) }
        guard isOpen else { return client.eventLoop.makeFailedFuture(ChannelError.eof) }
        if isStalled { Self.reads(client, false) }
        let server = ClientBootstrap(group: client.eventLoop)
          .channelInitializer { server in
            server.eventLoop.makeCompletedFuture {
              try server.pipeline.syncOperations.addHandler(Forward(to: server.eventLoop.makeSucceededFuture(client)))
            }
          }
          .connect(host: "127.0.0.1", port: target)
        server.whenSuccess { server in state.withLock { $0.pairs += [client, server] } }
        return client.eventLoop.makeCompletedFuture {
          if let tls { try client.pipeline.syncOperations.addHandler(TLSHandler(serving: tls)) }
          try client.pipeline.syncOperations.addHandler(Forward(to: server))
        }
      }
      .bind(host: host, port: port).get()
    return TCPRelay(listener, state)
  }

  public var port: Int { listener.localAddress?.port ?? 0 }

  /// Leads new connections to another port, as a load balancer does when a server has ended.
  public func lead(to target: Int) { state.withLock { $0.target = target } }

  /// Closes all connections; with `refusing` new ones are closed at once, until `accept`.
  public func cut(refusing: Bool = false) {
    let pairs = state.withLock { state in
      state.isOpen = !refusing
      defer { state.pairs = [] }
      return state.pairs
    }
    for channel in pairs { channel.close(promise: nil) }
  }

  public func accept() { state.withLock { $0.isOpen = true } }

  /// Stops forwarding without closing any connection.
  /// - Parameter newOnes: whether new connections get no answer either, as in a network that is cut, until ``resume()``.
  public func stall(newOnes: Bool = false) {
    let pairs = state.withLock { state in
      state.isStalled = newOnes
      return state.pairs
    }
    for channel in pairs { Self.reads(channel, false) }
  }

  /// Forwards again, first what was sent meanwhile.
  public func resume() {
    let pairs = state.withLock { state in
      state.isStalled = false
      return state.pairs
    }
    for channel in pairs { Self.reads(channel, true) }
  }

  private static func reads(_ channel: any Channel, _ reads: Bool) {
    channel.setOption(.autoRead, value: reads).whenComplete { _ in }
  }

  public func stop() {
    cut(refusing: true)
    listener.close(promise: nil)
  }

  private final class Forward: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: EventLoopFuture<any Channel>
    init(to other: EventLoopFuture<any Channel>) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      other.whenSuccess { $0.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { other.whenSuccess { $0.close(promise: nil) } }
  }
}
