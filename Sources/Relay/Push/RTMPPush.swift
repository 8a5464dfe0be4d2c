import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import RTMP
import RTP

/// A ``PushLink`` with its sockets. Everything happens on one event loop.
final class RTMPPush {
  private let loop: any EventLoop
  private let targets: RelayTargets
  private let trust: NIOSSLTrustRoots
  private var link: PushLink
  private var channel: (any Channel)?
  private var timer: (task: Scheduled<Void>, due: Instant)?
  private let state: (PushState, PushFailure?) -> Void
  private let keyFrameNeeded: () -> Void
  private var isDraining = false

  /// - Parameters:
  ///   - state: told of each change.
  ///   - keyFrameNeeded: the server can only go on with one.
  init(
    to address: RTMPAddress, options: PushLink.Options, targets: RelayTargets, trust: NIOSSLTrustRoots, loop: any EventLoop,
    state: @escaping (PushState, PushFailure?) -> Void, keyFrameNeeded: @escaping () -> Void
  ) {
    self.loop = loop
    self.targets = targets
    self.trust = trust
    self.state = state
    self.keyFrameNeeded = keyFrameNeeded
    link = PushLink(to: address, options: options)
  }

  var status: PushLink { link }

  func start() { work { $0.start(now: Self.now()) } }
  func stop() { work { $0.stop(now: Self.now()) } }
  func send(_ message: MediaMessage) { work { $0.send(message, now: Self.now()) } }

  static func now() -> Instant { Instant(microseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1000)) }

  /// Changes the link and does what it then wants.
  private func work(_ change: (inout PushLink) -> Void) {
    loop.assertInEventLoop()
    change(&link)
    guard !isDraining else { return }
    isDraining = true
    while let output = link.nextOutput() { carryOut(output) }
    isDraining = false
    schedule()
  }

  private func carryOut(_ output: PushLink.Output) {
    switch output {
    case .connect(let address, let connection): connect(address, connection)
    case .send(let bytes, let connection): send(bytes, connection)
    case .close:
      let closing = channel
      channel = nil
      // What was written before goes first.
      closing?.writeAndFlush(ByteBuffer()).whenComplete { _ in closing?.close(promise: nil) }
    case .state(let state, let failure): self.state(state, failure)
    case .keyFrameNeeded: keyFrameNeeded()
    }
  }

  private func schedule() {
    guard let deadline = link.deadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    guard timer?.due != deadline else { return }
    timer?.task.cancel()
    let due = NIODeadline.uptimeNanoseconds(UInt64(max(0, deadline.microseconds)) * 1000)
    let bound = NIOLoopBound(self, eventLoop: loop)
    let task = loop.assumeIsolated().scheduleTask(deadline: due) {
      bound.value.timer = nil
      bound.value.work { $0.advance(to: Self.now()) }
    }
    timer = (task, deadline)
  }

  // MARK: The socket

  private func connect(_ address: RTMPAddress, _ connection: Int) {
    let targets = targets
    let bound = NIOLoopBound(self, eventLoop: loop)
    let resolved = NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
      HostAddresses.resolve(address.host, port: address.port)
    }
    resolved.whenComplete { result in
      let push = bound.value
      switch result {
      case .failure: push.work { $0.failed(connection, .name(address.host), now: Self.now()) }
      case .success(let addresses):
        let allowed = addresses.filter { targets.allow(host: address.host, at: $0.transport) }
        guard !allowed.isEmpty else {
          let failure: PushFailure = addresses.isEmpty ? .name(address.host) : .forbidden(address.host)
          return push.work { $0.failed(connection, failure, now: Self.now()) }
        }
        push.connect(address, to: allowed[...], connection)
      }
    }
  }

  /// One address after the other, until one answers.
  private func connect(_ address: RTMPAddress, to addresses: ArraySlice<HostAddresses.Entry>, _ connection: Int) {
    guard let first = addresses.first else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    let options = link.options
    let trust = trust
    let handler = NIOLoopBound(PushHandler(self, connection), eventLoop: loop)
    ClientBootstrap(group: loop)
      .connectTimeout(.microseconds(options.connectTime))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      // What the kernel holds can't be thinned any more: a slow server has to be felt here.
      .channelOption(.socketOption(.so_sndbuf), value: 65_536)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if address.isSecure { try channel.pipeline.syncOperations.addHandler(Self.tls(address, trust)) }
          try channel.pipeline.syncOperations.addHandler(handler.value)
        }
      }
      .connect(to: first.socket)
      .whenComplete { result in
        let push = bound.value
        switch result {
        case .success(let channel):
          push.channel = channel
          // With TLS the handler tells when the handshake is done.
          if !address.isSecure { push.work { $0.opened(connection, now: Self.now()) } }
        case .failure(let error):
          guard addresses.count == 1 else { return push.connect(address, to: addresses.dropFirst(), connection) }
          push.work { $0.failed(connection, PushFailure(connecting: error), now: Self.now()) }
        }
      }
  }

  private static func tls(_ address: RTMPAddress, _ trust: NIOSSLTrustRoots) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = trust
    let context = try NIOSSLContext(configuration: configuration)
    let isName = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil
    return try NIOSSLClientHandler(context: context, serverHostname: isName ? address.host : nil)
  }

  private func send(_ bytes: [UInt8], _ connection: Int) {
    guard let channel else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess {
      bound.value.work { $0.sent(connection, bytes: bytes.count, now: Self.now()) }
    }
  }

  fileprivate func opened(_ connection: Int) { work { $0.opened(connection, now: Self.now()) } }

  fileprivate func received(_ connection: Int, _ bytes: ByteBuffer) {
    bytes.withUnsafeReadableBytes { bytes in work { $0.received(connection, bytes, now: Self.now()) } }
  }

  fileprivate func failed(_ connection: Int, _ failure: PushFailure) {
    work { $0.failed(connection, failure, now: Self.now()) }
  }
}

/// Hands what a push's socket says to the push.
private final class PushHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private weak var push: RTMPPush?
  private let connection: Int
  private var isSecured = false

  init(_ push: RTMPPush, _ connection: Int) {
    self.push = push
    self.connection = connection
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent {
      isSecured = true
      push?.opened(connection)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { push?.received(connection, unwrapInboundIn(data)) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let isTLS = error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError
    push?.failed(connection, isTLS && !isSecured ? .tls("\(error)") : .broken("\(error)"))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { push?.failed(connection, .broken("closed by the server")) }
}

extension PushFailure {
  fileprivate init(connecting error: any Error) {
    switch error {
    case ChannelError.connectTimeout: self = .timeout("TCP")
    case let error as IOError: self = .refused(error.description)
    default: self = .refused("\(error)")
    }
  }
}
