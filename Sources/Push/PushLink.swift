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

  private enum Phase: Sendable {
    case idle
    case opening(since: Instant)
    /// The RTMP session in `session` is active.
    case session
    case waiting(until: Instant)
    case ended
  }

  /// The address of the server.
  public let address: RTMPAddress
  /// The options.
  public let options: Options
  /// The current state.
  public private(set) var state = PushState.unknown
  /// The failure that ended the last connection.
  public private(set) var lastFailure: PushFailure?
  /// The number of connections that started publishing.
  public private(set) var connections = 0
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

  private var phase = Phase.idle
  /// The RTMP session; set in the phase of that name.
  private var session: ClientSession?
  private var connection = 0
  private var attempt = 0
  private var publishingSince: Instant?
  private var outputs: [Output] = []
  private var nextIndex = 0
  /// Bytes written to the socket and not yet sent.
  private var ahead = 0
  private var metadata: MediaMessage?
  private var videoHeader: MediaMessage?
  private var audioHeader: MediaMessage?

  /// Creates a link that has not started.
  public init(to address: RTMPAddress, options: Options = .init()) {
    self.address = address
    self.options = options
    queue = SendQueue(limit: options.queueLimit)
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
    guard case .idle = phase else { return }
    open(now)
  }

  /// Ends the push and closes the session with the server.
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

  /// Reports that the connection is open.
  public mutating func opened(_ connection: Int, now: Instant) {
    guard connection == self.connection, case .opening = phase else { return }
    ahead = 0
    session = ClientSession(.publish, address, options: options.session, now: now)
    phase = .session
    flush()
  }

  /// Returns whether the connection with this number is still being opened. One that opens later is discarded.
  func awaits(_ connection: Int) -> Bool {
    guard case .opening = phase else { return false }
    return connection == self.connection
  }

  /// Reports that the connection could not be opened, or was lost.
  public mutating func failed(_ connection: Int, _ failure: PushFailure, now: Instant) {
    guard connection == self.connection else { return }
    switch phase {
    case .opening, .session: lose(failure, now: now)
    case .idle, .waiting, .ended: break
    }
  }

  /// Passes bytes read from the socket.
  public mutating func received(_ connection: Int, _ bytes: UnsafeRawBufferPointer, now: Instant) {
    guard connection == self.connection, case .session = phase else { return }
    session?.receive(bytes, now: now)
    work(now)
  }

  /// Reports that the socket sent this many of the bytes written to it.
  public mutating func sent(_ connection: Int, bytes: Int, now: Instant) {
    guard connection == self.connection, case .session = phase else { return }
    ahead = max(0, ahead - bytes)
    work(now)
  }

  // MARK: Media

  /// Sends the stream's next message. While there is no connection, only the headers are kept.
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

  /// The time of the next call to `advance`; nil if no timer is needed.
  public var deadline: Instant? {
    switch phase {
    case .idle, .ended: nil
    case .opening(let since): since.advanced(microseconds: options.connectTime)
    case .session: session?.deadline
    case .waiting(let until): until
    }
  }

  /// Performs the actions that are due.
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
    // A server that accepts and closes at once does not reset the retry count.
    if let since = publishingSince, now - since >= 10_000_000 { attempt = 0 }
    publishingSince = nil
    attempt += 1
    var generator = SystemRandomNumberGenerator()
    guard failure.isRetryable, let wait = options.retries.wait(before: attempt, using: &generator) else {
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
