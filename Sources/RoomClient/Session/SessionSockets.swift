import Logging
import RoomProtocol

/// The sockets of a session: one to the current server, and a second one while the session changes its server.
///
/// Confined to the session's actor.
final class SessionSockets {
  var route: ServerRoute
  private let calls: SessionCalls
  private let options: RoomOptions
  private let logger: Logger
  private let post: AsyncStream<SessionInput>.Continuation
  /// The number of the last socket that was opened.
  private var lastEpoch = 0
  /// The link to the server that the session leaves, which still answers calls; nil once its socket is closed.
  private var leaving: (link: SignalLink, epoch: Int, since: ContinuousClock.Instant)?
  private var isOpeningAlternative = false

  /// The time to open a socket, and again to upgrade it, while another server can continue the session.
  private static let alternativeTimeout = Duration.seconds(1)

  /// Maximum time for the last answers of the server that the session leaves.
  private static let leavingTime = Duration.seconds(5)

  /// - Parameter post: gets what the sockets receive, and whether they open.
  init(
    _ route: ServerRoute, _ calls: SessionCalls, _ options: RoomOptions, _ logger: Logger,
    _ post: AsyncStream<SessionInput>.Continuation
  ) {
    (self.route, self.calls, self.options, self.logger, self.post) = (route, calls, options, logger, post)
  }

  /// Opens a socket to the current server. Input of earlier sockets is ignored from now on.
  func open() {
    endLeaving()
    calls.epoch = nextEpoch()
    open(route.address, calls.epoch) { [epoch = calls.epoch] in
      .opened($0, epoch: epoch)
    } failed: { [epoch = calls.epoch] in
      .notOpened($0, epoch: epoch)
    }
  }

  private func nextEpoch() -> Int {
    lastEpoch += 1
    return lastEpoch
  }

  private func open(
    _ address: SignalAddress, _ epoch: Int, opened: @escaping @Sendable (SignalSocket) -> SessionInput,
    failed: @escaping @Sendable (RoomClientError) -> SessionInput
  ) {
    let (post, options) = (post, options)
    // A server that may have ended must not delay the next one.
    let timeout = route.hasSpare ? min(options.timeout, Self.alternativeTimeout) : options.timeout
    Task {
      do throws(RoomClientError) {
        let socket = try await SignalSocket.open(address, timeout: timeout, trust: options.trust) { incoming in
          if case .enqueued = post.yield(.socket(incoming, epoch: epoch)) { true } else { false }
        }
        if case .terminated = post.yield(opened(socket)) { socket.abandon() }
      } catch { post.yield(failed(error)) }
    }
  }

  // MARK: Continuing at another server

  /// Opens a socket to the server at which the session continues, if there is one.
  func openAlternative() {
    guard !isOpeningAlternative, let address = route.nextSpare else { return }
    isOpeningAlternative = true
    let epoch = nextEpoch()
    open(address, epoch) {
      .alternative($0, address, epoch: epoch)
    } failed: {
      .noAlternative($0, address)
    }
  }

  /// Forgets a server that does not answer.
  func drop(_ address: SignalAddress) {
    isOpeningAlternative = false
    route.drop(address)
  }

  /// Makes an open socket to another server the current one. The server that the session leaves still answers calls.
  /// - Parameter isConnected: whether there is a session to continue.
  /// - Returns: false if the session does not continue there.
  func switchServer(to address: SignalAddress, _ socket: SignalSocket, epoch: Int, if isConnected: Bool) -> Bool {
    isOpeningAlternative = false
    guard isConnected, let link = calls.link, route.nextSpare == address, route.takeSpare() else { return false }
    logger.info("the session continues at another server", metadata: ["server": "\(address.host)"])
    endLeaving()
    leaving = (link, calls.epoch, .now)
    calls.epoch = epoch
    calls.link = SignalLink(socket, now: .now)
    return true
  }

  /// Whether a socket is the one to the server that the session leaves.
  func isLeaving(_ epoch: Int) -> Bool { leaving?.epoch == epoch }

  /// Takes what the server still sends that the session leaves.
  /// - Returns: an event; nil for an answer and for the end of the socket.
  func takeLast(_ incoming: SignalSocket.Incoming) -> SignalEvent? {
    guard let leaving, case .message(let text) = incoming else {
      endLeaving()
      return nil
    }
    calls.received += 1
    guard case .event(let event) = leaving.link.heard(text, number: calls.received, now: .now) else { return nil }
    return event
  }

  func endLeavingIfDue(now: ContinuousClock.Instant) {
    if let leaving, now - leaving.since > Self.leavingTime { endLeaving() }
  }

  func endLeaving() {
    leaving?.link.end(.connectionLost("the session continues at another server"), politely: true)
    leaving = nil
  }
}
