import RoomRTP

/// What an established association transfers: messages in both directions, resets of streams, acknowledgements, and the signs that
/// the other side lives.
struct SCTPTransfer {
  /// What is due to be sent.
  struct Load {
    let hasData: Bool
    let hasForward: Bool
    let hasReset: Bool
    let hasSack: Bool

    var isEmpty: Bool { !hasData && !hasForward && !hasReset && !hasSack }
  }

  private var sent: SentData
  private var received: ReceivedData
  private var resets: StreamReset
  private var sack = SackSchedule()
  private var heartbeat: Heartbeat
  private var events = Ring<SCTPEvent>()
  /// The number of outgoing streams.
  private let streams: UInt16
  private let canReset: Bool
  private let sendBuffer: Int
  /// Timeouts in a row (RFC 9260 §8.1).
  private(set) var timeouts = 0
  /// Whether the association shuts down: it begins no more resets.
  var isClosing = false

  /// - Parameters:
  ///   - firstTSN: this side's.
  ///   - theirs: what the other side said of itself.
  init(_ configuration: SCTPConfiguration, firstTSN: TSN, with theirs: Initiation, now: Instant) {
    streams = min(configuration.streams, theirs.incomingStreams)
    canReset = theirs.supportsReset
    sendBuffer = configuration.sendBuffer
    sent = SentData(
      firstTSN: firstTSN, window: theirs.window, supportsForwardTSN: theirs.supportsForwardTSN,
      timeout: RetransmissionTimeout(configuration), configuration)
    received = ReceivedData(
      first: theirs.firstTSN, streams: Int(min(configuration.streams, theirs.outgoingStreams)),
      window: configuration.receiveWindow, maximumMessage: configuration.maximumMessage)
    resets = StreamReset(local: firstTSN, remote: theirs.firstTSN)
    heartbeat = Heartbeat(interval: configuration.heartbeatInterval)
    heartbeat.heard(now: now)
    events.append(.connected(streams: Int(streams)))
  }

  var deadline: Instant? { [heartbeat.deadline, sack.deadline, sent.deadline, resets.deadline].lazy.compactMap { $0 }.min() }
  /// Whether all messages are acknowledged.
  var isDrained: Bool { sent.isEmpty }
  /// The cost of messages that are not yet acknowledged.
  var unacknowledged: Int { sent.stored }
  var timeout: RetransmissionTimeout { sent.timeout }
  /// The TSN up to which everything has arrived.
  var cumulative: TSN { received.cumulative }

  // MARK: The owner's calls

  mutating func send(_ message: SCTPMessage) throws(SCTPSendError) {
    guard message.stream < streams else { throw .noSuchStream }
    guard !message.payload.isEmpty else { throw .empty }
    guard !sent.waiting.isResetting(message.stream) else { throw .resetting }
    // One message is always accepted, so that a large one does not need a larger buffer.
    guard sent.stored == 0 || sent.stored + message.cost <= sendBuffer else { throw .bufferFull }
    sent.append(message)
  }

  func bufferedAmount(of stream: UInt16) -> Int { sent.waiting.buffered(stream) }

  mutating func setBufferedAmountLow(_ bytes: Int, of stream: UInt16) { sent.waiting.setThreshold(max(0, bytes), of: stream) }

  mutating func reset(_ wanted: [UInt16]) {
    let wanted = wanted.filter { $0 < streams }
    guard canReset else {
      events.append(.localReset(wanted, isAccepted: false))
      return
    }
    for stream in wanted { sent.waiting.beginReset(stream) }
    resets.add(wanted)
    beginReset()
  }

  mutating func nextEvent() -> SCTPEvent? {
    if let event = events.removeFirst() { return event }
    guard let event = received.nextEvent() else { return nil }
    if received.hasReopened { sack.sendAtOnce() }
    return event
  }

  // MARK: Sending

  /// - Parameters:
  ///   - space: the bytes that a packet has for chunks.
  ///   - mayCarryData: false once this side has sent SHUTDOWN or SHUTDOWN-ACK.
  func load(space: Int, mayCarryData: Bool) -> Load {
    let hasData = mayCarryData && sent.canSend(space: space)
    return Load(
      hasData: hasData, hasForward: mayCarryData && sent.isForwardDue, hasReset: mayCarryData && resets.isDue,
      hasSack: sack.isDue || (sack.hasUnacknowledged && hasData))
  }

  mutating func write(_ load: Load, to writer: inout SCTPWriter, mayCarryData: Bool, now: Instant) {
    if load.hasSack, received.sackSize <= writer.space {
      received.writeSack(to: &writer)
      sack.sent()
    }
    // Both are short, or can wait for the next packet.
    if load.hasForward, writer.space >= 64 { sent.writeForwardTSN(to: &writer, now: now) }
    if load.hasReset, writer.space >= 128 { resets.write(to: &writer, now: now, timeout: sent.timeout.value) }
    guard mayCarryData else { return }
    sent.write(to: &writer, now: now)
    settle()
  }

  /// Whether messages were given up, so that the other side must skip them.
  var isForwardDue: Bool { sent.isForwardDue }

  mutating func sendSackAtOnce() { sack.sendAtOnce() }

  // MARK: Receiving

  /// Notes that a packet with data has been read.
  mutating func receivedPacket(now: Instant) { sack.receivedPacket(now: now) }

  /// Performs what has become possible: begins resets of drained streams, and reports low buffers.
  mutating func settle() {
    for stream in sent.waiting.takeLow() { events.append(.bufferedAmountLow(stream: stream)) }
    beginReset()
  }

  private mutating func beginReset() {
    guard !isClosing, resets.isWaiting else { return }
    let sent = sent
    resets.begin(lastTSN: sent.lastTSN) { sent.waiting.isDrained($0) && !sent.isSending($0) }
  }

  mutating func receive(_ chunk: DataChunk) -> SCTPViolation? {
    let hadGaps = received.hasGaps
    switch received.receive(chunk) {
    case .accepted:
      // A gap, or its end, is reported at once (§6.7).
      if hadGaps || received.hasGaps || chunk.flags.contains(.immediate) { sack.sendAtOnce() }
    case .duplicate, .dropped: sack.sendAtOnce()
    case .violation(let violation): return violation
    }
    return nil
  }

  mutating func receive(_ chunk: SackChunk, now: Instant) -> SCTPViolation? {
    // Even a SACK of a closed window shows that the other side lives.
    timeouts = 0
    guard sent.receive(chunk, now: now) else { return .unsentAcknowledged }
    heartbeat.heard(now: now)
    return nil
  }

  mutating func receive(_ chunk: ForwardTSNChunk) -> SCTPViolation? {
    sack.sendAtOnce()
    if case .violation(let violation) = received.skip(chunk) { return violation }
    return nil
  }

  mutating func receiveReset(_ chunk: SCTPChunk, now: Instant) {
    // Events that the owner does not take occupy the window too.
    guard received.window != 0 else { return }
    timeouts = 0
    for outcome in resets.receive(chunk, cumulative: received.cumulative, now: now, timeout: sent.timeout.value) {
      switch outcome {
      case .remote(let streams): received.reset(streams)
      case .local(let streams, let isAccepted):
        for stream in streams { sent.waiting.endReset(stream, isAccepted: isAccepted) }
        events.append(.localReset(streams, isAccepted: isAccepted))
      }
    }
  }

  mutating func receiveHeartbeatAck(_ chunk: SCTPChunk, now: Instant) {
    guard let roundTrip = heartbeat.answered(chunk, now: now) else { return }
    timeouts = 0
    sent.measured(roundTrip)
  }

  // MARK: Time

  /// Performs what is due. Returns a heartbeat to send.
  mutating func advance(to now: Instant) -> [UInt8]? {
    sack.advance(to: now)
    if sent.expire(now: now) { timeouts += 1 }
    if resets.expire(now: now) { timeouts += 1 }
    let next = heartbeat.next(now: now, timeout: sent.timeout.value)
    if next?.isMissed == true { timeouts += 1 }
    return next?.chunk
  }
}
