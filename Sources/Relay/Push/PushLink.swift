public import RTMP
public import RTP

/// A broadcast's way to one RTMP server: connects, publishes, keeps what the server is too slow for, and connects again.
///
/// Sans-I/O: after each call take what ``nextOutput()`` gives until it is nil. The timeline of the messages goes on over reconnects;
/// each connection begins with metadata, sequence headers and a key frame.
public struct PushLink: Sendable {
  /// How a push behaves.
  public struct Options: Sendable {
    public var retries: PushRetries
    /// Milliseconds of media that may wait for the server.
    public var queueLimit: Int
    /// Bytes given to the socket ahead of what it has taken.
    public var socketAhead: Int
    /// Microseconds for name, TCP and TLS.
    public var connectTime: Int64
    public var session: ClientSession.Options

    /// The defaults suit a CDN on the internet.
    public init(
      retries: PushRetries = .init(), queueLimit: Int = 2000, socketAhead: Int = 32_768, connectTime: Int64 = 5_000_000,
      session: ClientSession.Options = .init()
    ) {
      self.retries = retries
      self.queueLimit = queueLimit
      self.socketAhead = socketAhead
      self.connectTime = connectTime
      self.session = session
    }
  }

  /// What is to be done.
  public enum Output: Sendable, Equatable {
    /// Open a TCP (and TLS) connection, whose number comes back with all that is told of it.
    case connect(RTMPAddress, connection: Int)
    case send([UInt8], connection: Int)
    /// Send what is left and close.
    case close(connection: Int)
    case state(PushState, PushFailure?)
    /// The receiver needs a key frame to go on.
    case keyFrameNeeded
  }

  private enum Phase: Sendable {
    case idle
    case opening(since: Instant)
    /// RTMP is spoken by `session`.
    case session
    case waiting(until: Instant)
    case ended
  }

  /// Where to.
  public let address: RTMPAddress
  /// As given.
  public let options: Options
  /// As last told.
  public private(set) var state = PushState.unknown
  /// Why the last connection ended.
  public private(set) var lastFailure: PushFailure?
  /// Connections that were published on.
  public private(set) var connections = 0
  /// Bytes handed to sockets.
  public private(set) var bytesSent: UInt64 = 0
  /// What waits, and what was lost.
  public private(set) var queue: SendQueue

  private var phase = Phase.idle
  /// In the phase of that name.
  private var session: ClientSession?
  private var connection = 0
  private var attempt = 0
  private var publishingSince: Instant?
  private var outputs: [Output] = []
  private var nextIndex = 0
  /// Bytes given to the socket that it has not taken.
  private var ahead = 0
  private var metadata: MediaMessage?
  private var videoHeader: MediaMessage?
  private var audioHeader: MediaMessage?

  /// A link that has not begun.
  public init(to address: RTMPAddress, options: Options = .init()) {
    self.address = address
    self.options = options
    queue = SendQueue(limit: options.queueLimit)
  }

  /// What is to be done next; nil where nothing is.
  public mutating func nextOutput() -> Output? {
    guard nextIndex < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      nextIndex = 0
      return nil
    }
    defer { nextIndex += 1 }
    return outputs[nextIndex]
  }

  /// Begins; later calls change nothing.
  public mutating func start(now: Instant) {
    guard case .idle = phase else { return }
    open(now)
  }

  /// Takes leave of the server; nothing follows.
  public mutating func stop(now: Instant) {
    if case .session = phase {
      enter(.disconnecting)
      session?.end()
      flush()
    }
    switch phase {
    case .opening, .session: outputs.append(.close(connection: connection))
    case .idle, .waiting, .ended: break
    }
    if case .ended = phase { return }
    phase = .ended
    session = nil
    enter(.disconnected)
  }

  // MARK: The socket

  /// The connection is open.
  public mutating func opened(_ connection: Int, now: Instant) {
    guard connection == self.connection, case .opening = phase else { return }
    ahead = 0
    session = ClientSession(.publish, address, options: options.session, now: now)
    phase = .session
    flush()
  }

  /// Whether a connection of this number is still to be opened: one that opens later is nobody's.
  func awaits(_ connection: Int) -> Bool {
    guard case .opening = phase else { return false }
    return connection == self.connection
  }

  /// The connection could not be opened, or broke.
  public mutating func failed(_ connection: Int, _ failure: PushFailure, now: Instant) {
    guard connection == self.connection else { return }
    switch phase {
    case .opening, .session: lose(failure, now: now)
    case .idle, .waiting, .ended: break
    }
  }

  /// The socket read these.
  public mutating func received(_ connection: Int, _ bytes: UnsafeRawBufferPointer, now: Instant) {
    guard connection == self.connection, case .session = phase else { return }
    session?.receive(bytes, now: now)
    work(now)
  }

  /// The socket took so many bytes of what it was given.
  public mutating func sent(_ connection: Int, bytes: Int, now: Instant) {
    guard connection == self.connection, case .session = phase else { return }
    ahead = max(0, ahead - bytes)
    work(now)
  }

  // MARK: Media

  /// Takes the broadcast's next message. While there is no connection only the headers are kept.
  public mutating func send(_ message: MediaMessage, now: Instant) {
    remember(message)
    guard case .session = phase, session?.isActive == true else { return }
    let needed = queue.needsKeyFrame
    queue.append(message)
    if queue.needsKeyFrame, !needed { outputs.append(.keyFrameNeeded) }
    guard !queue.isStuck else { return lose(.stalled, now: now) }
    work(now)
  }

  // MARK: Time

  /// When `advance` wants to be called; nil where nothing is waited for.
  public var deadline: Instant? {
    switch phase {
    case .idle, .ended: nil
    case .opening(let since): since.advanced(microseconds: options.connectTime)
    case .session: session?.deadline
    case .waiting(let until): until
    }
  }

  /// Does what is due.
  public mutating func advance(to now: Instant) {
    switch phase {
    case .idle, .ended: break
    case .opening(let since):
      if now >= since.advanced(microseconds: options.connectTime) { lose(.timeout("TCP"), now: now) }
    case .session:
      session?.advance(to: now)
      work(now)
    case .waiting(let until):
      if now >= until { open(now) }
    }
  }

  // MARK: Inside

  private mutating func enter(_ state: PushState, _ failure: PushFailure? = nil) {
    guard state != self.state || failure != nil else { return }
    self.state = state
    outputs.append(.state(state, failure))
  }

  private mutating func open(_ now: Instant) {
    connection += 1
    phase = .opening(since: now)
    if state != .autoReconnecting { enter(.connecting) }
    outputs.append(.connect(address, connection: connection))
  }

  private mutating func work(_ now: Instant) {
    while let event = session?.nextEvent() {
      switch event {
      case .started: begin(now)
      // The server moves: what follows goes to a new connection.
      case .reconnectRequested: session?.end()
      case .closed(let failure):
        flush()
        return lose(PushFailure(failure), now: now)
      case .connected, .status, .media, .ended: break
      }
    }
    flush()
    guard session?.isActive == true else { return }
    while ahead < options.socketAhead, let message = queue.next() {
      session?.send(message)
      flush()
    }
  }

  private mutating func begin(_ now: Instant) {
    publishingSince = now
    connections += 1
    queue.removeAll()
    for message in [metadata, videoHeader, audioHeader] {
      if let message { session?.send(message) }
    }
    enter(.connected)
    outputs.append(.keyFrameNeeded)
  }

  private mutating func flush() {
    guard let bytes = session?.takeOutput(), !bytes.isEmpty else { return }
    ahead += bytes.count
    bytesSent += UInt64(bytes.count)
    outputs.append(.send(bytes, connection: connection))
  }

  private mutating func lose(_ cause: PushFailure, now: Instant) {
    let failure = cause.hiding(address.stream)
    outputs.append(.close(connection: connection))
    session = nil
    lastFailure = failure
    // A server that accepts and closes at once does not count as one that works.
    if let since = publishingSince, now - since >= 10_000_000 { attempt = 0 }
    publishingSince = nil
    attempt += 1
    var generator = SystemRandomNumberGenerator()
    guard failure.mayPass, let wait = options.retries.wait(before: attempt, using: &generator) else {
      phase = .ended
      return enter(.error, failure)
    }
    phase = .waiting(until: now.advanced(microseconds: wait))
    enter(.autoReconnecting, failure)
  }

  private mutating func remember(_ message: MediaMessage) {
    switch message.kind {
    case .data: metadata = message
    case .audio:
      if message.payload.withUnsafeBytes({ AudioTag(parsing: $0) })?.isSequenceHeader == true { audioHeader = message }
    case .video:
      if message.payload.withUnsafeBytes({ VideoTag(parsing: $0) })?.isSequenceHeader == true { videoHeader = message }
    }
  }
}
