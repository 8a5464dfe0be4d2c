import Glibc
import RoomHTTPServer
import Logging
import NIOCore
import NIOPosix
import NIOWebSocket
import RoomWebRTC
import Synchronization

/// Takes the sockets that libmicrohttpd has upgraded, puts each into a NIO channel that speaks WebSocket, and runs a session on
/// it.
final class SignallingServer: Sendable {
  private struct Session: Sendable {
    let socket: SignalSocket
    /// Ends when the socket is closed and no longer served.
    let serving: Task<Void, Never>
  }

  private let group: MultiThreadedEventLoopGroup
  /// The signal loops by event loop.
  private let loops: [ObjectIdentifier: SignalLoop]
  private let configuration: ServerConfiguration
  private let counters: ServerCounters
  private let log: Logger
  private let run: @Sendable (SignalSocket, HTTPRequest) async -> Void
  /// The open sockets; nil once the server stops.
  private let sessions = Mutex<[ObjectIdentifier: Session]?>([:])

  /// - Parameter run: serves a socket until its messages end, by the request that opened it.
  init(
    configuration: ServerConfiguration, counters: ServerCounters, log: Logger,
    run: @escaping @Sendable (SignalSocket, HTTPRequest) async -> Void
  ) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.signallingThreads))
    self.group = group
    loops = Dictionary(
      uniqueKeysWithValues: group.makeIterator().map {
        let pauses = SignalLoop.Pauses(short: configuration.signalPause, long: configuration.presencePause)
        return (ObjectIdentifier($0), SignalLoop($0, pauses: pauses, counters: counters))
      })
    self.configuration = configuration
    self.counters = counters
    self.log = log
    self.run = run
  }

  /// Takes a socket over. Called on a thread of the HTTP daemon.
  func accept(_ upgraded: UpgradedSocket, _ frames: SocketFrames) {
    let configuration = adapted(to: frames)
    guard upgraded.descriptor >= 0 else {
      log.error("can't take over a signalling socket: no descriptor is left")
      return upgraded.release()
    }
    counters.count {
      $0.sockets += 1
      $0.socketsOpened += 1
    }
    let (messages, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    ClientBootstrap(group: group)
      .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
      // With small reads, the content of a read is handled even if the client can no longer be written to.
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      // A client that has just joined a large room may have this much unread before the server stops reading from it.
      .channelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
      .channelInitializer { [counters] channel in
        channel.eventLoop.makeCompletedFuture {
          try Self.addHandlers(
            to: channel.pipeline.syncOperations, messages: continuation, configuration, counters, isBinary: frames.isBinary)
        }
      }
      .withConnectedSocket(upgraded.descriptor)
      .whenComplete { [self] result in
        switch result {
        case .success(let channel): begin(channel, messages, upgraded, configuration)
        case .failure(let error):
          log.error("can't take over a signalling socket", metadata: ["error": "\(error)"])
          Glibc.close(upgraded.descriptor)
          counters.count { $0.sockets -= 1 }
          continuation.finish()
          upgraded.release()
        }
      }
  }

  private func adapted(to frames: SocketFrames) -> ServerConfiguration {
    var adapted = configuration
    if let messageBytes = frames.messageBytes { adapted.limits.messageBytes = messageBytes }
    if let outgoingBytes = frames.outgoingBytes { adapted.limits.outgoingBytes = outgoingBytes }
    return adapted
  }

  /// Adds the handlers between a socket's bytes and `messages`, in order.
  static func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, messages: AsyncStream<ByteBuffer>.Continuation,
    _ configuration: ServerConfiguration, _ counters: ServerCounters, isBinary: Bool = false
  ) throws {
    let messageBytes = configuration.limits.messageBytes
    try pipeline.addHandlers(
      BackpressureHandler(patience: .milliseconds(configuration.keepAlive.silence.milliseconds)) {
        counters.count { $0.socketsDead += 1 }
      },
      WebSocketFrameEncoder(),
      ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: messageBytes)),
      ClientFrameCheck(),
      NIOWebSocketFrameAggregator(
        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 256, maxAccumulatedFrameSize: messageBytes),
      SignalSocketHandler(
        messages: messages, keepAlive: configuration.keepAlive, messageBytes: messageBytes, counters: counters,
        isBinary: isBinary))
  }

  /// Starts the session of a channel. Called on the channel's event loop.
  private func begin(
    _ channel: any Channel, _ messages: AsyncStream<ByteBuffer>, _ upgraded: UpgradedSocket,
    _ configuration: ServerConfiguration
  ) {
    guard let loop = loops[ObjectIdentifier(channel.eventLoop)],
      let encoder = try? channel.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
    else {
      // The client has already disconnected.
      counters.count { $0.sockets -= 1 }
      upgraded.release()
      return channel.close(promise: nil)
    }
    let socket = SignalSocket(
      channel: channel, context: NIOLoopBound(encoder, eventLoop: channel.eventLoop), loop: loop, messages: messages,
      outgoingLimit: configuration.limits.outgoingBytes, counters: counters)
    channel.closeFuture.whenComplete { [counters] _ in
      upgraded.release()
      counters.count { $0.sockets -= 1 }
    }
    // The client may have sent frames right behind its request.
    if !upgraded.early.isEmpty {
      channel.pipeline.fireChannelRead(ByteBuffer(bytes: upgraded.early))
      channel.pipeline.fireChannelReadComplete()
    }
    let id = ObjectIdentifier(socket)
    let isStopping = sessions.withLock { sessions in
      guard sessions != nil else { return true }
      let serving = Task {
        await run(socket, upgraded.request)
        try? await socket.closed.get()
        _ = self.sessions.withLock { $0?.removeValue(forKey: id) }
      }
      sessions?[id] = Session(socket: socket, serving: serving)
      return false
    }
    if isStopping { socket.close(.serverStopping) }
  }

  /// Closes all sockets, waits until they are closed and their sessions have ended, and ends the event loops.
  func stop() async {
    let open = sessions.withLock { sessions in
      defer { sessions = nil }
      return sessions.map { Array($0.values) } ?? []
    }
    for session in open { session.socket.close(.serverStopping) }
    // A session has timers on an event loop.
    for session in open { await session.serving.value }
    try? await group.shutdownGracefully()
  }
}
