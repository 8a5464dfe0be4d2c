import RoomRTP

/// The client side of one RTMP connection that publishes or plays one stream. The session has no socket and no clock.
///
/// Create it when the socket is connected, and write `takeOutput()` to the socket. Pass it what the socket reads. After every
/// call, write the output and call `nextEvent()` until it returns nil. The session sends connect, publish and play by itself.
public struct ClientSession: Sendable {
  /// What the client does.
  public enum Purpose: Sendable {
    case publish, play
  }

  /// The options of a client session.
  public struct Options: Sendable {
    public var limits: ChunkReader.Limits
    public var timeouts: SessionTimeouts
    /// Payload bytes per sent chunk, 1…0xffffff.
    public var chunkSize: Int
    /// The name that the client sends; nil sends one that servers know.
    public var flashVersion: String?
    /// Whether the handshake has a digest. A server that does not support it answers without one.
    public var handshakeDigest: Bool
    /// The codecs beyond H.264 and AAC, by FourCC (Enhanced RTMP): empty for a plain `connect`.
    public var fourCCs: [String]
    /// The other features of Enhanced RTMP that are supported.
    public var capabilities: ConnectRequest.Capabilities
    /// Additional properties of `connect`, or replacements for the default ones: swfUrl, pageUrl.
    public var connectProperties: AMFObject
    /// The buffer time that a player announces, in milliseconds.
    public var bufferMilliseconds: UInt32

    /// Creates options. The defaults are what ffmpeg sends.
    public init(
      limits: ChunkReader.Limits = .init(), timeouts: SessionTimeouts = .init(), chunkSize: Int = 60_000,
      flashVersion: String? = nil, handshakeDigest: Bool = true, fourCCs: [String] = [],
      capabilities: ConnectRequest.Capabilities = [], connectProperties: AMFObject = AMFObject(),
      bufferMilliseconds: UInt32 = 3000
    ) {
      self.limits = limits
      self.timeouts = timeouts
      self.chunkSize = chunkSize
      self.flashVersion = flashVersion
      self.handshakeDigest = handshakeDigest
      self.fourCCs = fourCCs
      self.capabilities = capabilities
      self.connectProperties = connectProperties
      self.bufferMilliseconds = bufferMilliseconds
    }
  }

  enum Phase {
    case handshake(ClientHandshake)
    case connecting
    case creatingStream
    /// The command has been sent; the answer has not arrived.
    case starting(MessageStreamID)
    case active(MessageStreamID)
    case closed
  }

  /// Maximum bytes of untaken output.
  private static let outputLimit = 4 << 20

  /// The transaction ids of requests that are answered (RTMP 1.0 §7.1.1).
  enum Transaction {
    static let connect = 1.0
    static let releaseStream = 2.0
    static let fcPublish = 3.0
    static let createStream = 4.0
    static let start = 5.0
    static let other = 6.0
  }

  /// What the client does.
  public let purpose: Purpose
  /// The stream's address.
  public let address: RTMPAddress
  let options: Options
  var phase: Phase
  var link: MessageLink
  var events = EventQueue<ClientEvent>()
  /// The time at which the phase began.
  private var since: Instant

  /// Creates a session on a connection made at `now`. The first bytes of the handshake are ready to be sent.
  public init(_ purpose: Purpose, _ address: RTMPAddress, options: Options = Options(), now: Instant) {
    var generator = SystemRandomNumberGenerator()
    self.init(purpose, address, options: options, now: now, using: &generator)
  }

  /// Creates a session like `init(_:_:options:now:)`, with the handshake's random bytes from `generator`.
  public init(
    _ purpose: Purpose, _ address: RTMPAddress, options: Options = Options(), now: Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    self.purpose = purpose
    self.address = address
    self.options = options
    since = now
    link = MessageLink(limits: options.limits, outputLimit: Self.outputLimit, now: now)
    phase = .handshake(
      ClientHandshake(
        withDigest: options.handshakeDigest, time: now.rtmpMilliseconds, into: &link.output, using: &generator))
  }

  /// Whether the session has ended.
  public var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Whether media can be sent, or is received.
  public var isActive: Bool {
    if case .active = phase { true } else { false }
  }

  /// Bytes received after the handshake.
  public var bytesReceived: UInt64 { link.bytesReceived }

  /// Bytes that the server has acknowledged, modulo 2³².
  public var acknowledgedBytes: UInt32 { link.peerAcknowledged }

  /// Returns the next event; nil if there is none.
  public mutating func nextEvent() -> ClientEvent? { events.next() }

  /// Removes and returns the bytes to send.
  public mutating func takeOutput() -> [UInt8] { link.takeOutput() }

  // MARK: In

  /// Processes bytes from the socket.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    var generator = SystemRandomNumberGenerator()
    receive(bytes, now: now, using: &generator)
  }

  /// Processes bytes like `receive(_:now:)`, with the handshake's random bytes from `generator`.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant, using generator: inout some RandomNumberGenerator)
  {
    guard !isClosed else { return }
    link.received(now: now)
    var rest = bytes
    do throws(SessionFailure) {
      if case .handshake(var handshake) = phase {
        do throws(HandshakeError) {
          try handshake.receive(&rest, into: &link.output, using: &generator)
        } catch { throw .handshake(error) }
        guard handshake.isDone else {
          phase = .handshake(handshake)
          return
        }
        connect(now: now)
      }
      while !isClosed, let message = try link.read(&rest) {
        try take(message, now: now)
        guard link.output.count <= Self.outputLimit else { throw .outputLimitExceeded }
      }
      link.acknowledge()
    } catch { fail(error) }
  }

  mutating func enter(_ phase: Phase, now: Instant) {
    self.phase = phase
    since = now
  }

  // MARK: Media

  /// Publishes a message. Returns false if publishing has not started or has ended.
  @discardableResult
  public mutating func send(_ media: MediaMessage) -> Bool {
    guard purpose == .publish, case .active(let stream) = phase else { return false }
    guard media.kind == .data else {
      link.send(media, on: stream)
      return true
    }
    // Servers store what follows this command as the stream's metadata.
    var command: [UInt8] = []
    command.appendAMF0("@setDataFrame")
    link.send(MediaMessage(.data, timestamp: media.timestamp, payload: command + media.payload), on: stream)
    return true
  }

  // MARK: Time

  /// The time at which `advance` is due; nil if no timeout is running.
  public var deadline: Instant? {
    switch phase {
    case .handshake, .connecting, .creatingStream, .starting: since.advanced(microseconds: options.timeouts.step)
    case .active: link.silenceDeadline(options.timeouts)
    case .closed: nil
    }
  }

  /// Does what is due: pings a silent server, and ends the session if the server does not respond or takes too long.
  public mutating func advance(to now: Instant) {
    switch phase {
    case .handshake, .connecting, .creatingStream, .starting:
      if now >= since.advanced(microseconds: options.timeouts.step) { fail(.timeout(step)) }
    case .active:
      if !link.isAlive(now: now, options.timeouts) { fail(.timeout(.media)) }
    case .closed: break
    }
  }

  /// The current step of the session.
  public var step: SessionStep {
    switch phase {
    case .handshake: .handshake
    case .connecting: .connect
    case .creatingStream: .createStream
    case .starting: purpose == .publish ? .publish : .play
    case .active, .closed: .media
    }
  }

  // MARK: The end

  /// Sends the server the final commands and ends the session. Does nothing if it has ended. Send the remaining output before
  /// closing the socket.
  public mutating func end() {
    if case .active(let stream) = phase { sendGoodbye(of: stream) }
    fail(.ended)
  }

  /// Ends the session because the socket was closed.
  public mutating func disconnected() { fail(.closedByPeer) }

  mutating func fail(_ failure: SessionFailure) {
    guard !isClosed else { return }
    phase = .closed
    events.append(.closed(failure))
  }
}
