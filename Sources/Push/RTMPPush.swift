public import NIOCore
import NIOPosix
import NIOTLS
public import RoomRTMP
public import RoomRTP
public import RoomTLS

/// A ``PushLink`` with its sockets. The push runs on one event loop.
public final class RTMPPush {
  /// Returns the addresses of a host and port. Called on a thread that may block.
  public typealias Resolve = @Sendable (_ host: String, _ port: UInt16) -> [SocketAddress]
  /// Returns whether a connection to an address is allowed.
  public typealias Allow = @Sendable (SocketAddress) -> Bool

  private let loop: any EventLoop
  private let allow: Allow
  private let trust: TLSContext.Trust
  private let resolve: Resolve
  private var link: PushLink
  private var channel: (any Channel)?
  private var timer: (task: Scheduled<Void>, due: Instant)?
  private let state: (PushState, PushFailure?) -> Void
  private let keyFrameNeeded: () -> Void
  private var isDraining = false

  /// - Parameters:
  ///   - trust: The certificates that RTMPS accepts.
  ///   - allow: The addresses that may be connected to.
  ///   - resolve: Resolves host names; the system's resolver except in tests.
  ///   - state: Called at each change of state.
  ///   - keyFrameNeeded: Called when the server needs a key frame to continue.
  public init(
    to address: RTMPAddress, options: PushLink.Options, trust: TLSContext.Trust, loop: any EventLoop,
    allow: @escaping Allow = { _ in true },
    resolve: @escaping Resolve = { HostAddresses.resolve($0, port: $1) },
    state: @escaping (PushState, PushFailure?) -> Void, keyFrameNeeded: @escaping () -> Void
  ) {
    self.loop = loop
    self.allow = allow
    self.trust = trust
    self.resolve = resolve
    self.state = state
    self.keyFrameNeeded = keyFrameNeeded
    link = PushLink(to: address, options: options)
  }

  /// The link's state and counters.
  public var status: PushLink { link }

  /// The address of the server; nil while there is no connection.
  public var remoteAddress: SocketAddress? { channel?.remoteAddress }

  /// Starts the push.
  public func start() { work { $0.start(now: Self.now()) } }
  /// Ends the push and closes the connection.
  public func stop() { work { $0.stop(now: Self.now()) } }
  /// Sends the stream's next message.
  public func send(_ message: MediaMessage) { work { $0.send(message, now: Self.now()) } }

  /// The time on the clock of event loops.
  public static func now() -> Instant { Instant(microseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1000)) }

  /// Applies a change to the link and performs the resulting actions.
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
      // Pending writes go out before the close.
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
    let (allow, resolve) = (allow, resolve)
    let bound = NIOLoopBound(self, eventLoop: loop)
    let resolved = NIOThreadPool.singleton.runIfActive(eventLoop: loop) { resolve(address.host, address.port) }
    resolved.whenComplete { result in
      let push = bound.value
      guard push.link.awaits(connection) else { return }
      switch result {
      case .failure: push.work { $0.failed(connection, .name(address.host), now: Self.now()) }
      case .success(let addresses):
        let allowed = addresses.filter(allow)
        guard !allowed.isEmpty else {
          let failure: PushFailure = addresses.isEmpty ? .name(address.host) : .forbidden(address.host)
          return push.work { $0.failed(connection, failure, now: Self.now()) }
        }
        push.connect(address, to: allowed, connection)
      }
    }
  }

  /// Connects to the address that answers first (Happy Eyeballs, RFC 8305). An address that drops packets costs 250 ms instead
  /// of the whole timeout.
  private func connect(_ address: RTMPAddress, to allowed: [SocketAddress], _ connection: Int) {
    let bound = NIOLoopBound(self, eventLoop: loop)
    ClientBootstrap(group: loop)
      .resolver(CheckedAddresses(allowed, loop: loop))
      .connectTimeout(.microseconds(link.options.connectTime))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Data in the kernel's buffer can no longer be dropped, so a small buffer makes a slow server visible early.
      .channelOption(.socketOption(.so_sndbuf), value: 65_536)
      .connect(host: address.host, port: Int(address.port))
      .whenComplete { result in
        let push = bound.value
        switch result {
        case .success(let channel): push.connected(channel, to: address, connection)
        case .failure(let error): push.work { $0.failed(connection, PushFailure(connecting: error), now: Self.now()) }
        }
      }
  }

  /// Handlers are added only now, so that connections that lose the race have none that could report their end.
  private func connected(_ channel: any Channel, to address: RTMPAddress, _ connection: Int) {
    guard link.awaits(connection) else { return channel.close(promise: nil) }
    do {
      if address.isSecure {
        try channel.pipeline.syncOperations.addHandler(TLSHandler(TLSContext(trusting: trust), host: address.host))
      }
      try channel.pipeline.syncOperations.addHandler(PushHandler(self, connection))
    } catch {
      channel.close(promise: nil)
      return work { $0.failed(connection, address.isSecure ? .tls("\(error)") : .broken("\(error)"), now: Self.now()) }
    }
    self.channel = channel
    // With TLS, the handler reports the end of the handshake.
    if !address.isSecure { opened(connection) }
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

/// The addresses of a host that passed the target check. No other address is connected to.
private struct CheckedAddresses: Resolver {
  private let addresses: [SocketAddress]
  private let loop: any EventLoop

  init(_ addresses: [SocketAddress], loop: any EventLoop) {
    self.addresses = addresses
    self.loop = loop
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { known { $0.protocol == .inet } }
  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { known { $0.protocol == .inet6 } }
  func cancelQueries() {}

  private func known(_ isWanted: (SocketAddress) -> Bool) -> EventLoopFuture<[SocketAddress]> {
    loop.makeSucceededFuture(addresses.filter(isWanted))
  }
}

/// Forwards socket events to the push.
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
    push?.failed(connection, error is TLSError && !isSecured ? .tls("\(error)") : .broken("\(error)"))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { push?.failed(connection, .broken("closed by the server")) }
}

extension PushFailure {
  fileprivate init(connecting error: any Error) {
    switch error {
    case ChannelError.connectTimeout: self = .timeout("TCP")
    case let error as IOError: self = .refused(error.description)
    case let error as NIOConnectionError:
      let first = error.connectionErrors.first?.error
      self = .refused((first as? IOError)?.description ?? first.map { "\($0)" } ?? "no address responds")
    default: self = .refused("\(error)")
    }
  }
}
