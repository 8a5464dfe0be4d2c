public import RoomRTMP
public import RoomRTP

/// A connection that publishes to one RTMP server: connects, publishes, queues what the server is too slow for, and reconnects.
///
/// Sans-I/O: after each call, drain ``nextOutput()`` until it returns nil. The timeline of the messages continues across
/// reconnects. Each connection starts with metadata, sequence headers and a key frame.
public struct PushLink: Sendable {
  /// The options of a push.
  public struct Options: Sendable {
    public var retries: PushRetries
    /// The maximum duration of media queued for the server, in ms.
    public var queueLimit: Int
    /// The number of bytes that may be written to the socket and not yet sent.
    public var socketAhead: Int
    /// The timeout for name resolution, TCP and TLS together, in µs.
    public var connectTime: Int64
    public var session: ClientSession.Options

    /// Creates options. The defaults suit a CDN on the internet.
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

  /// An action for the caller.
  public enum Output: Sendable, Equatable {
    /// Open a TCP (and TLS) connection. Pass its number with all later calls about it.
    case connect(RTMPAddress, connection: Int)
    case send([UInt8], connection: Int)
    /// Send the remaining bytes and close the connection.
    case close(connection: Int)
    case state(PushState, PushFailure?)
    /// The receiver needs a key frame to continue.
    case keyFrameNeeded
  }

  /// The address of the server.
  public let address: RTMPAddress
  /// The options.
  public let options: Options
  /// The current state.
  public var state: PushState { attempts.state }
  /// The failure that ended the last connection.
  public var lastFailure: PushFailure? { attempts.lastFailure }
  /// The number of connections that started publishing.
  public var connections: Int { attempts.published }
  /// The media passed to sockets.
  public struct SentMedia: Sendable, Hashable {
    /// Pictures, and the size of their messages in bytes.
    public var pictures: UInt64 = 0
    public var pictureBytes: UInt64 = 0
    /// Audio frames, and the size of their messages in bytes.
    public var sounds: UInt64 = 0
    public var soundBytes: UInt64 = 0

    /// Creates counters of nothing.
    public init() {}

    /// Counts a message.
    public mutating func add(_ message: MediaMessage) {
      switch message.kind {
      case .video: (pictures, pictureBytes) = (pictures + 1, pictureBytes + UInt64(message.payload.count))
      case .audio: (sounds, soundBytes) = (sounds + 1, soundBytes + UInt64(message.payload.count))
      case .data: break
      }
    }
  }

  /// The media sent since the start.
  public private(set) var sent = SentMedia()
  /// The number of bytes written to sockets.
  public private(set) var bytesSent: UInt64 = 0
  /// The messages waiting to be sent, and the counters of dropped ones.
  public private(set) var queue: SendQueue

  private var attempts: PushAttempts
  /// The RTMP session; set while there is an open connection.
  private var session: ClientSession?
  private var outputs: [Output] = []
  private var nextIndex = 0
  /// Bytes written to the socket and not yet sent.
  private var ahead = 0
  private var headers = PushHeaders()

  /// Creates a link that has not started.
  public init(to address: RTMPAddress, options: Options = .init()) {
    self.address = address
    self.options = options
    queue = SendQueue(limit: options.queueLimit)
    attempts = PushAttempts(options.retries)
  }

  /// Returns the next action, or nil if there is none.
  public mutating func nextOutput() -> Output? {
    guard nextIndex < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      nextIndex = 0
      return nil
    }
    defer { nextIndex += 1 }
    return outputs[nextIndex]
  }

  /// Starts the push. Later calls have no effect.
  public mutating func start(now: Instant) {
    guard case .idle = attempts.phase else { return }
    open(now)
  }

  /// Ends the push and closes the session with the server.
  public mutating func stop(now: Instant) {
    if session != nil {
      report(attempts.disconnect())
      session?.end()
      flush()
    }
    if attempts.isActive { outputs.append(.close(connection: attempts.connection)) }
    session = nil
    report(attempts.end())
  }

  // MARK: The socket

  /// Reports that the connection is open.
  public mutating func opened(_ connection: Int, now: Instant) {
    guard awaits(connection) else { return }
    ahead = 0
    session = ClientSession(.publish, address, options: options.session, now: now)
    flush()
  }

  /// Returns whether the connection with this number is still being opened. One that opens later is discarded.
  func awaits(_ connection: Int) -> Bool {
    guard case .opening = attempts.phase, session == nil else { return false }
    return connection == attempts.connection
  }

  /// Reports that the connection could not be opened, or was lost.
  public mutating func failed(_ connection: Int, _ failure: PushFailure, now: Instant) {
    if connection == attempts.connection, attempts.isActive { lose(failure, now: now) }
  }

  /// Passes bytes read from the socket.
  public mutating func received(_ connection: Int, _ bytes: UnsafeRawBufferPointer, now: Instant) {
    guard connection == attempts.connection, session != nil else { return }
    session?.receive(bytes, now: now)
    work(now)
  }

  /// Reports that the socket sent this many of the bytes written to it.
  public mutating func sent(_ connection: Int, bytes: Int, now: Instant) {
    guard connection == attempts.connection, session != nil else { return }
    ahead = max(0, ahead - bytes)
    work(now)
  }

  // MARK: Media

  /// Sends the stream's next message. While there is no connection, only the headers are kept.
  public mutating func send(_ message: MediaMessage, now: Instant) {
    headers.remember(message)
    guard session?.isActive == true else { return }
    let needed = queue.needsKeyFrame
    queue.append(message)
    if queue.needsKeyFrame, !needed { outputs.append(.keyFrameNeeded) }
    guard !queue.isStuck else { return lose(.stalled, now: now) }
    work(now)
  }

  // MARK: Time

  /// The time of the next call to `advance`; nil if no timer is needed.
  public var deadline: Instant? {
    if let session { return session.deadline }
    return switch attempts.phase {
    case .idle, .publishing, .ended: nil
    case .opening(let since): since.advanced(microseconds: options.connectTime)
    case .waiting(let until): until
    }
  }

  /// Performs the actions that are due.
  public mutating func advance(to now: Instant) {
    guard session == nil else {
      session?.advance(to: now)
      return work(now)
    }
    switch attempts.phase {
    case .idle, .publishing, .ended: break
    case .opening(let since):
      if now >= since.advanced(microseconds: options.connectTime) { lose(.timeout("TCP"), now: now) }
    case .waiting(let until):
      if now >= until { open(now) }
    }
  }

  // MARK: Inside

  private mutating func report(_ report: PushAttempts.Report?) {
    if let report { outputs.append(.state(report.state, report.failure)) }
  }

  private mutating func open(_ now: Instant) {
    report(attempts.open(now: now))
    outputs.append(.connect(address, connection: attempts.connection))
  }

  private mutating func work(_ now: Instant) {
    while let event = session?.nextEvent() {
      switch event {
      case .started: begin(now)
      // The server requests a reconnect: what follows is sent on a new connection.
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
      sent.add(message)
      flush()
    }
  }

  private mutating func begin(_ now: Instant) {
    queue.removeAll()
    for message in headers.messages { session?.send(message) }
    report(attempts.publish(now: now))
    outputs.append(.keyFrameNeeded)
  }

  private mutating func flush() {
    guard let bytes = session?.takeOutput(), !bytes.isEmpty else { return }
    ahead += bytes.count
    bytesSent += UInt64(bytes.count)
    outputs.append(.send(bytes, connection: attempts.connection))
  }

  private mutating func lose(_ cause: PushFailure, now: Instant) {
    outputs.append(.close(connection: attempts.connection))
    session = nil
    report(attempts.lose(cause.hiding(address.stream), now: now))
  }
}
