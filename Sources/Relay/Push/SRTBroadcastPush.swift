import NIOCore
import NIOPosix
import RoomPush
import RoomRTMP
import RoomRTP
import RoomSRT

/// A push by SRT that reconnects: an ``SRTPush`` for each connection. The push runs on one event loop; the connections have
/// threads of their own.
final class SRTBroadcastPush: BroadcastPush {
  private let address: SRTAddress
  private let options: PushLink.Options
  private let loop: any EventLoop
  private let allow: RTMPPush.Allow
  private let changed: (PushState, PushFailure?) -> Void
  private let keyFrameNeeded: () -> Void
  private var attempts: PushAttempts
  private var headers = PushHeaders()
  /// The connection; nil while addresses are resolved, and between connections.
  private var push: SRTPush?
  private var timer: Scheduled<Void>?
  /// The counters of connections that have ended.
  private var past = (dropped: UInt64(0), bytes: UInt64(0))
  private(set) var closing: Task<Void, Never>?

  /// - Parameters:
  ///   - allow: returns whether a connection to an address is allowed.
  ///   - changed: called at each change of state.
  ///   - keyFrameNeeded: called when the server needs a key frame to continue.
  init(
    to address: SRTAddress, options: PushLink.Options, loop: any EventLoop, allow: @escaping RTMPPush.Allow,
    changed: @escaping (PushState, PushFailure?) -> Void, keyFrameNeeded: @escaping () -> Void
  ) {
    self.address = address
    self.options = options
    self.loop = loop
    self.allow = allow
    self.changed = changed
    self.keyFrameNeeded = keyFrameNeeded
    attempts = PushAttempts(options.retries)
  }

  var report: PushReport {
    let progress = push?.progress
    return PushReport(
      state: attempts.state, failure: attempts.lastFailure, connections: attempts.published, queued: progress?.queued ?? 0,
      dropped: past.dropped + (progress?.dropped ?? 0), bytes: past.bytes + (progress?.bytes ?? 0))
  }

  func start() {
    loop.assertInEventLoop()
    if case .idle = attempts.phase { open() }
  }

  func stop() {
    loop.assertInEventLoop()
    timer?.cancel()
    if case .publishing = attempts.phase { tell(attempts.disconnect()) }
    retire()
    tell(attempts.end())
  }

  func send(_ message: MediaMessage) {
    headers.remember(message)
    push?.send([message])
  }

  // MARK: Inside

  private func tell(_ report: PushAttempts.Report?) {
    if let report { changed(report.state, report.failure) }
  }

  private func open() {
    tell(attempts.open(now: RTMPPush.now()))
    let connection = attempts.connection
    let (host, port) = (address.host, address.port)
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = schedule(RTMPPush.now().advanced(microseconds: options.connectTime)) { $0.resolvesTooLong(connection) }
    NIOThreadPool.singleton.runIfActive(eventLoop: loop) { HostAddresses.resolve(host, port: port) }
      .whenComplete { bound.value.resolved((try? $0.get()) ?? [], for: connection) }
  }

  private func schedule(_ due: Instant, _ work: @escaping @Sendable (SRTBroadcastPush) -> Void) -> Scheduled<Void> {
    let bound = NIOLoopBound(self, eventLoop: loop)
    return loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(max(0, due.microseconds)) * 1000)) { work(bound.value) }
  }

  /// Returns whether this connection still waits for addresses.
  private func resolves(_ connection: Int) -> Bool {
    guard case .opening = attempts.phase, push == nil else { return false }
    return connection == attempts.connection
  }

  private func resolvesTooLong(_ connection: Int) { if resolves(connection) { lose(.timeout("DNS")) } }

  private func resolved(_ addresses: [SocketAddress], for connection: Int) {
    guard resolves(connection) else { return }
    timer?.cancel()
    let allowed = addresses.filter(allow).compactMap(\.ipAddress)
    guard !allowed.isEmpty else { return lose(addresses.isEmpty ? .name(address.host) : .forbidden(address.host)) }
    let bound = NIOLoopBound(Weakly(push: self), eventLoop: loop)
    let loop = loop
    push = SRTPush(
      to: address, hasVideo: false, hasAudio: false, queueLimit: options.queueLimit, preamble: headers.messages,
      resolve: { allowed },
      tell: { event in loop.execute { bound.value.push?.take(event, of: connection) } })
  }

  /// The connection must not keep its owner alive.
  private struct Weakly {
    weak var push: SRTBroadcastPush?
  }

  private func take(_ event: SRTPush.Event, of connection: Int) {
    guard connection == attempts.connection, push != nil else { return }
    switch event {
    case .opened: tell(attempts.publish(now: RTMPPush.now()))
    case .failed(let failure): lose(PushFailure(failure))
    case .keyFrameNeeded: keyFrameNeeded()
    }
  }

  private func lose(_ failure: PushFailure) {
    retire()
    tell(attempts.lose(failure, now: RTMPPush.now()))
    // An observer may have stopped the push.
    guard case .waiting(let until) = attempts.phase else { return }
    timer = schedule(until) { $0.open() }
  }

  /// Closes the connection. What waits is sent meanwhile.
  private func retire() {
    guard let push else { return }
    self.push = nil
    let progress = push.progress
    past = (past.dropped + progress.dropped, past.bytes + progress.bytes)
    closing = Task { await push.close() }
  }
}
