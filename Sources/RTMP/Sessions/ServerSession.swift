import RTP

/// The server's side of one RTMP connection, without socket and clock.
///
/// Feed it what the socket reads, and after every call take `takeOutput()` to the socket and ask `nextEvent()` until it is nil.
/// It asks its owner three things, by events: may this client connect, publish, play. The owner may take its time; what comes
/// meanwhile is held, up to a limit.
public struct ServerSession: Sendable {
  /// What a session allows and how it speaks.
  public struct Options: Sendable {
    /// Once the client publishes.
    public var limits: ChunkReader.Limits
    /// Before: nobody knows yet who the client is.
    public var limitsBeforePublish: ChunkReader.Limits
    public var timeouts: SessionTimeouts
    /// Bytes of payload in the chunks it sends, 1 … 0xffffff.
    public var chunkSize: Int
    /// Window Acknowledgement Size and Set Peer Bandwidth, in bytes.
    public var window: UInt32
    /// Streams at a time that one client may create.
    public var streams: Int
    /// Bytes held while a decision is waited for.
    public var heldBytes: Int
    /// Bytes of answers to what came at once.
    public var outputBytes: Int

    /// The defaults suit encoders and players alike.
    public init(
      limits: ChunkReader.Limits = .init(),
      limitsBeforePublish: ChunkReader.Limits = .init(messageLength: 512 << 10, unfinishedBytes: 512 << 10),
      timeouts: SessionTimeouts = .init(), chunkSize: Int = 4096, window: UInt32 = 5_000_000, streams: Int = 8,
      heldBytes: Int = 1 << 20, outputBytes: Int = 512 << 10
    ) {
      self.limits = limits
      self.limitsBeforePublish = limitsBeforePublish
      self.timeouts = timeouts
      self.chunkSize = chunkSize
      self.window = window
      self.streams = streams
      self.heldBytes = heldBytes
      self.outputBytes = outputBytes
    }
  }

  enum Phase {
    case handshake(ServerHandshake)
    case awaitingConnect
    case decidingConnect(transaction: Double, ConnectRequest)
    case open
    case closed
  }

  /// What a message stream is used for.
  enum Use {
    case nothing
    case decidingPublish(StreamName)
    case publishing
    case decidingPlay(StreamName)
    case playing
  }

  let options: Options
  var phase = Phase.handshake(ServerHandshake())
  var link: MessageLink
  var events = EventQueue<ServerEvent>()
  var streams: [MessageStreamID: Use] = [:]
  var lastStream: UInt32 = 0
  /// What came while a decision was waited for.
  private var held: [RTMPMessage] = []
  /// How many of them were gone on with.
  private var heldStart = 0
  private var heldBytes = 0
  /// Since when the phase is what it is, or nothing has been published or played.
  private var since: Instant

  /// The message streams' media that belonged to no accepted publish, and was dropped.
  public internal(set) var strayMessages = 0

  /// A connection that was accepted at `now`.
  public init(_ options: Options = Options(), now: Instant) {
    self.options = options
    link = MessageLink(limits: options.limitsBeforePublish, outputLimit: options.outputBytes, now: now)
    since = now
  }

  /// Whether the session is over.
  public var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Bytes of RTMP received after the handshake.
  public var bytesReceived: UInt64 { link.bytesReceived }

  /// What the peer said it received, in bytes modulo 2³².
  public var acknowledgedBytes: UInt32 { link.peerAcknowledged }

  /// What happened next; nil where nothing more did.
  public mutating func nextEvent() -> ServerEvent? { events.next() }

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
          try handshake.receive(&rest, time: now.rtmpMilliseconds, into: &link.output, using: &generator)
        } catch { throw .handshake(error) }
        guard handshake.isDone else {
          phase = .handshake(handshake)
          return
        }
        phase = .awaitingConnect
        since = now
      }
      while !isClosed, let message = try link.read(&rest) {
        try take(message, now: now)
        guard link.output.count <= options.outputBytes else { throw .outputNotTaken }
      }
      link.acknowledge()
    } catch { fail(error) }
  }

  private var isDeciding: Bool {
    if case .decidingConnect = phase { return true }
    return streams.values.contains { use in
      switch use {
      case .decidingPublish, .decidingPlay: true
      case .nothing, .publishing, .playing: false
      }
    }
  }

  private mutating func take(_ message: RTMPMessage, now: Instant) throws(SessionFailure) {
    guard isDeciding else { return try process(message, now: now) }
    // The constant is for many messages with nothing in them.
    heldBytes += message.payload.count + 64
    guard heldBytes <= options.heldBytes else { throw .tooMuchHeld }
    held.append(message)
  }

  /// Goes on with what was held, until there is something to decide again.
  mutating func resume(now: Instant) {
    since = now
    do throws(SessionFailure) {
      // Each is taken out once, however often there is something to decide: thousands may wait.
      while heldStart < held.count, !isDeciding, !isClosed {
        let message = held[heldStart]
        heldStart += 1
        heldBytes -= message.payload.count + 64
        try process(message, now: now)
        guard link.output.count <= options.outputBytes else { throw .outputNotTaken }
      }
      if heldStart >= held.count { forgetHeld() }
    } catch { fail(error) }
  }

  private mutating func forgetHeld() {
    held = []
    heldStart = 0
    heldBytes = 0
  }

  private mutating func process(_ message: RTMPMessage, now: Instant) throws(SessionFailure) {
    switch message.type {
    case .command, .commandAMF3:
      let command: Command?
      do throws(AMFError) { command = try Command(message) } catch { throw .command(error) }
      if let command { try obey(command, on: message.stream, now: now) }
    case .audio, .video, .data, .dataAMF3: takeMedia(message)
    case .aggregate:
      if let aggregate = AggregateMessage(message) {
        for part in aggregate { takeMedia(part) }
      }
    default: break
    }
  }

  private mutating func takeMedia(_ message: RTMPMessage) {
    guard let media = MediaMessage(message), !media.payload.isEmpty else { return }
    guard let stream = publishingStream(message.stream) else {
      strayMessages &+= 1
      return
    }
    if let media = media.withoutDataFrameCommand { events.append(.media(media, on: stream)) }
  }

  /// The stream itself where it is published to; else the only one there is, for encoders that get the number wrong.
  private func publishingStream(_ stream: MessageStreamID) -> MessageStreamID? {
    if case .publishing? = streams[stream] { return stream }
    guard streams.count == 1, let only = streams.first, case .publishing = only.value else { return nil }
    return only.key
  }

  // MARK: Time

  /// When `advance` wants to be called; nil where nothing is waited for.
  public var deadline: Instant? {
    switch phase {
    case .handshake, .awaitingConnect: since.advanced(microseconds: options.timeouts.step)
    case .decidingConnect, .closed: nil
    case .open:
      if isIdle {
        min(since.advanced(microseconds: options.timeouts.idle), link.silenceDeadline(options.timeouts))
      } else {
        link.silenceDeadline(options.timeouts)
      }
    }
  }

  private var isIdle: Bool {
    streams.values.allSatisfy { use in if case .nothing = use { true } else { false } }
  }

  /// Does what is due: pings a silent client, ends one that is gone or does nothing.
  public mutating func advance(to now: Instant) {
    switch phase {
    case .handshake:
      if now >= since.advanced(microseconds: options.timeouts.step) { fail(.timeout(.handshake)) }
    case .awaitingConnect:
      if now >= since.advanced(microseconds: options.timeouts.step) { fail(.timeout(.connect)) }
    case .open:
      if isIdle, now >= since.advanced(microseconds: options.timeouts.idle) { return fail(.timeout(.createStream)) }
      if !link.isAlive(now: now, options.timeouts) { fail(.timeout(.media)) }
    case .decidingConnect, .closed: break
    }
  }

  /// Begins the idle time anew, where a stream's use has ended.
  mutating func becameIdle(now: Instant) { since = now }

  // MARK: The end

  /// Ends the session; nothing where it is over. Output that is left is to be sent before the socket is closed.
  public mutating func end() { fail(.ended) }

  /// Ends the session because the socket is closed.
  public mutating func disconnected() { fail(.closedByPeer) }

  mutating func fail(_ failure: SessionFailure) {
    guard !isClosed else { return }
    phase = .closed
    forgetHeld()
    for stream in streams.keys.sorted(by: { $0.rawValue < $1.rawValue }) { stopUse(of: stream) }
    streams = [:]
    events.append(.closed(failure))
  }

  /// Tells the owner that a publish or play is over.
  mutating func stopUse(of stream: MessageStreamID) {
    switch streams[stream] {
    case .publishing, .decidingPublish: events.append(.publishEnded(stream))
    case .playing, .decidingPlay: events.append(.playEnded(stream))
    case .nothing, nil: return
    }
    streams[stream] = .nothing
  }
}

extension MediaMessage {
  /// Data without the "@setDataFrame" in front, which asks a server to keep what follows as metadata; nil for a
  /// "@clearDataFrame". Everything else as it is.
  var withoutDataFrameCommand: MediaMessage? {
    guard kind == .data else { return self }
    if payload.starts(with: Self.clear) { return nil }
    guard payload.starts(with: Self.set) else { return self }
    let rest = Array(payload.dropFirst(Self.set.count))
    return rest.isEmpty ? nil : MediaMessage(.data, timestamp: timestamp, payload: rest)
  }

  private static let set = [0x02, 0x00, 0x0d] + Array("@setDataFrame".utf8)
  private static let clear = [0x02, 0x00, 0x0f] + Array("@clearDataFrame".utf8)
}
