import RoomRTP

/// The server side of one RTMP connection. The session has no socket and no clock.
///
/// Pass it what the socket reads. After every call, write `takeOutput()` to the socket and call `nextEvent()` until it returns
/// nil. By events it asks its owner for three decisions: whether the client may connect, publish and play. The owner may decide
/// later; until then the session queues messages, up to a limit.
public struct ServerSession: Sendable {
  /// The options of a server session.
  public struct Options: Sendable {
    /// Limits once the client publishes.
    public var limits: ChunkReader.Limits
    /// Limits before that, while the client is not authorised.
    public var limitsBeforePublish: ChunkReader.Limits
    public var timeouts: SessionTimeouts
    /// Payload bytes per sent chunk, 1…0xffffff.
    public var chunkSize: Int
    /// Window Acknowledgement Size and Set Peer Bandwidth, in bytes.
    public var window: UInt32
    /// Maximum number of streams that one client may have at a time.
    public var streams: Int
    /// Maximum bytes queued while a decision is pending.
    public var maximumQueuedBytes: Int
    /// Maximum bytes of output in response to one read.
    public var outputBytes: Int

    /// Creates options. The defaults suit encoders and players alike.
    public init(
      limits: ChunkReader.Limits = .init(),
      limitsBeforePublish: ChunkReader.Limits = .init(messageLength: 512 << 10, unfinishedBytes: 512 << 10),
      timeouts: SessionTimeouts = .init(), chunkSize: Int = 4096, window: UInt32 = 5_000_000, streams: Int = 8,
      maximumQueuedBytes: Int = 1 << 20, outputBytes: Int = 512 << 10
    ) {
      self.limits = limits
      self.limitsBeforePublish = limitsBeforePublish
      self.timeouts = timeouts
      self.chunkSize = chunkSize
      self.window = window
      self.streams = streams
      self.maximumQueuedBytes = maximumQueuedBytes
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

  /// The use of a message stream.
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
  /// Messages received while a decision is pending.
  private var held: [RTMPMessage] = []
  /// How many of them have been processed.
  private var heldStart = 0
  private var queuedBytes = 0
  /// The time at which the phase began, or since which nothing has been published or played.
  private var since: Instant

  /// Dropped media messages that belonged to no accepted publish.
  public internal(set) var strayMessages = 0

  /// Creates a session on a connection accepted at `now`.
  public init(_ options: Options = Options(), now: Instant) {
    self.options = options
    link = MessageLink(limits: options.limitsBeforePublish, outputLimit: options.outputBytes, now: now)
    since = now
  }

  /// Whether the session has ended.
  public var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Bytes received after the handshake.
  public var bytesReceived: UInt64 { link.bytesReceived }

  /// Bytes that the peer has acknowledged, modulo 2³².
  public var acknowledgedBytes: UInt32 { link.peerAcknowledged }

  /// Returns the next event; nil if there is none.
  public mutating func nextEvent() -> ServerEvent? { events.next() }

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
        guard link.output.count <= options.outputBytes else { throw .outputLimitExceeded }
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
    // The constant accounts for many empty messages.
    queuedBytes += message.payload.count + 64
    guard queuedBytes <= options.maximumQueuedBytes else { throw .queueLimitExceeded }
    held.append(message)
  }

  /// Processes queued messages until the next decision is pending.
  mutating func resume(now: Instant) {
    since = now
    do throws(SessionFailure) {
      // Each is removed once, however many decisions follow: thousands may be queued.
      while heldStart < held.count, !isDeciding, !isClosed {
        let message = held[heldStart]
        heldStart += 1
        queuedBytes -= message.payload.count + 64
        try process(message, now: now)
        guard link.output.count <= options.outputBytes else { throw .outputLimitExceeded }
      }
      if heldStart >= held.count { forgetHeld() }
    } catch { fail(error) }
  }

  private mutating func forgetHeld() {
    held = []
    heldStart = 0
    queuedBytes = 0
  }

  private mutating func process(_ message: RTMPMessage, now: Instant) throws(SessionFailure) {
    switch message.type {
    case .command, .commandAMF3:
      let command: Command?
      do throws(AMFError) { command = try Command(message) } catch { throw .command(error) }
      if let command { try apply(command, on: message.stream, now: now) }
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

  /// Returns the stream if it is being published. Otherwise returns the only published one, because some encoders use a wrong
  /// number.
  private func publishingStream(_ stream: MessageStreamID) -> MessageStreamID? {
    if case .publishing? = streams[stream] { return stream }
    guard streams.count == 1, let only = streams.first, case .publishing = only.value else { return nil }
    return only.key
  }

  // MARK: Time

  /// The time at which `advance` is due; nil if no timeout is running.
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

  /// Does what is due: pings a silent client, and ends the session of one that does not respond or is idle.
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

  /// Restarts the idle time after the use of a stream has ended.
  mutating func becameIdle(now: Instant) { since = now }

  // MARK: The end

  /// Ends the session. Does nothing if it has ended. Send the remaining output before closing the socket.
  public mutating func end() { fail(.ended) }

  /// Ends the session because the socket was closed.
  public mutating func disconnected() { fail(.closedByPeer) }

  mutating func fail(_ failure: SessionFailure) {
    guard !isClosed else { return }
    phase = .closed
    forgetHeld()
    for stream in streams.keys.sorted(by: { $0.rawValue < $1.rawValue }) { stopUse(of: stream) }
    streams = [:]
    events.append(.closed(failure))
  }

  /// Reports the end of a publish or play to the owner.
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
  /// Data without a leading "@setDataFrame", which asks a server to keep what follows as metadata; nil for a "@clearDataFrame".
  /// Other media is unchanged.
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
