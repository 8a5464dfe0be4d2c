import RTP

/// The client's side of one RTMP connection that publishes or plays one stream, without socket and clock.
///
/// Make it when the socket is connected, take `takeOutput()` to the socket, feed it what the socket reads, and after every call
/// take the output and ask `nextEvent()` until it is nil. It connects and publishes or plays by itself.
public struct ClientSession: Sendable {
  /// What the client wants.
  public enum Purpose: Sendable {
    case publish, play
  }

  /// How a client speaks and what it allows.
  public struct Options: Sendable {
    public var limits: ChunkReader.Limits
    public var timeouts: SessionTimeouts
    /// Bytes of payload in the chunks it sends, 1 … 0xffffff.
    public var chunkSize: Int
    /// The name the client gives itself; nil for one that servers know.
    public var flashVersion: String?
    /// Whether the handshake carries a digest; a server that knows none answers without.
    public var handshakeDigest: Bool
    /// The codecs beyond H.264 and AAC, by FourCC (Enhanced RTMP): empty for a plain `connect`.
    public var fourCCs: [String]
    /// What else of Enhanced RTMP is understood.
    public var capabilities: ConnectRequest.Capabilities
    /// More properties of `connect`, or others for the usual ones: swfUrl, pageUrl.
    public var connectProperties: AMFObject
    /// Milliseconds that a player says it buffers.
    public var bufferMilliseconds: UInt32

    /// The defaults are what ffmpeg sends.
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
    /// The command is sent, and its answer is waited for.
    case starting(MessageStreamID)
    case active(MessageStreamID)
    case closed
  }

  /// Bytes of answers that may wait to be taken.
  private static let outputLimit = 4 << 20

  /// The numbers of the requests that are answered (RTMP 1.0 §7.1.1).
  enum Transaction {
    static let connect = 1.0
    static let releaseStream = 2.0
    static let fcPublish = 3.0
    static let createStream = 4.0
    static let start = 5.0
    static let other = 6.0
  }

  /// What the client wants.
  public let purpose: Purpose
  /// Where it wants it.
  public let address: RTMPAddress
  let options: Options
  var phase: Phase
  var link: MessageLink
  var events = EventQueue<ClientEvent>()
  /// Since when the phase is what it is.
  private var since: Instant

  /// A connection that was made at `now`; the handshake's first bytes are to be sent.
  public init(_ purpose: Purpose, _ address: RTMPAddress, options: Options = Options(), now: Instant) {
    var generator = SystemRandomNumberGenerator()
    self.init(purpose, address, options: options, now: now, using: &generator)
  }

  /// As `init(_:_:options:now:)`, with the handshake's random bytes from `generator`.
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

  /// Whether the session is over.
  public var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Whether media can be sent, or is received.
  public var isActive: Bool {
    if case .active = phase { true } else { false }
  }

  /// Bytes of RTMP received after the handshake.
  public var bytesReceived: UInt64 { link.bytesReceived }

  /// What the server said it received, in bytes modulo 2³².
  public var acknowledgedBytes: UInt32 { link.peerAcknowledged }

  /// What happened next; nil where nothing more did.
  public mutating func nextEvent() -> ClientEvent? { events.next() }

  /// What is to be sent, and is then forgotten here.
  public mutating func takeOutput() -> [UInt8] { link.takeOutput() }

  // MARK: In

  /// Takes what the socket read.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    var generator = SystemRandomNumberGenerator()
    receive(bytes, now: now, using: &generator)
  }

  /// As `receive(_:now:)`, with the handshake's random bytes from `generator`.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant, using generator: inout some RandomNumberGenerator)
  {
    guard !isClosed else { return }
    link.heard(now: now)
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
        guard link.output.count <= Self.outputLimit else { throw .outputNotTaken }
      }
      link.acknowledge()
    } catch { fail(error) }
  }

  mutating func enter(_ phase: Phase, now: Instant) {
    self.phase = phase
    since = now
  }

  // MARK: Media

  /// Publishes a message; false where publishing has not started or is over.
  @discardableResult
  public mutating func send(_ media: MediaMessage) -> Bool {
    guard purpose == .publish, case .active(let stream) = phase else { return false }
    guard media.kind == .data else {
      link.send(media, on: stream)
      return true
    }
    // Servers keep what follows this as the stream's metadata.
    var command: [UInt8] = []
    command.appendAMF0("@setDataFrame")
    link.send(MediaMessage(.data, timestamp: media.timestamp, payload: command + media.payload), on: stream)
    return true
  }

  // MARK: Time

  /// When `advance` wants to be called; nil where nothing is waited for.
  public var deadline: Instant? {
    switch phase {
    case .handshake, .connecting, .creatingStream, .starting: since.advanced(microseconds: options.timeouts.step)
    case .active: link.silenceDeadline(options.timeouts)
    case .closed: nil
    }
  }

  /// Does what is due: pings a silent server, gives up one that is gone or takes too long.
  public mutating func advance(to now: Instant) {
    switch phase {
    case .handshake, .connecting, .creatingStream, .starting:
      if now >= since.advanced(microseconds: options.timeouts.step) { fail(.timeout(step)) }
    case .active:
      if !link.isAlive(now: now, options.timeouts) { fail(.timeout(.media)) }
    case .closed: break
    }
  }

  /// How far the session has come.
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

  /// Takes leave of the server and ends the session; nothing where it is over. Output that is left is to be sent before the
  /// socket is closed.
  public mutating func end() {
    if case .active(let stream) = phase { takeLeave(of: stream) }
    fail(.ended)
  }

  /// Ends the session because the socket is closed.
  public mutating func disconnected() { fail(.closedByPeer) }

  mutating func fail(_ failure: SessionFailure) {
    guard !isClosed else { return }
    phase = .closed
    events.append(.closed(failure))
  }
}
