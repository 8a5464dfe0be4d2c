public import RoomRTP

/// One SCTP association as data channels use it (RFC 9260, RFC 8831), without I/O: no multihoming, no authentication, over DTLS.
///
/// It uses no socket and no clock. Its owner
/// 1. passes in packets (`receive`), messages (`send`) and time (`advance`, at the latest at `deadline`);
/// 2. calls `nextPacket` until it returns nil, and sends what it returns;
/// 3. calls `nextEvent` until it returns nil. Messages that it does not take close the receive window, so the other side waits.
///
/// Either side, or both, may `start`. A side that does not start stores nothing before the other's cookie returns.
public struct SCTPAssociation {
  private enum State: Equatable {
    case idle
    /// INIT, or COOKIE-ECHO with this cookie, is sent.
    case initiating, echoing(cookie: [UInt8])
    case established
    /// Messages are sent before SHUTDOWN is; SHUTDOWN is sent; SHUTDOWN was received; SHUTDOWN-ACK is sent.
    case shutdownPending, shutdownSent, shutdownReceived, shutdownAckSent
    case ended
  }

  private let configuration: SCTPConfiguration
  private var state = State.idle
  /// Signs cookies.
  private let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
  let localTag = UInt32.random(in: 1 ... .max)
  let firstTSN = TSN(.random(in: .min ... .max))
  private var remote: Initiation?
  private var sent: SentData?
  private var received: ReceivedData?
  private var reset: StreamReset?
  private var control = ControlQueue()
  private var events = Ring<SCTPEvent>()
  /// The repetition of INIT, COOKIE-ECHO, SHUTDOWN and SHUTDOWN-ACK (T1, T2).
  private var handshakeDeadline: Instant?
  private var handshakeTimeout: RetransmissionTimeout
  private var attempts = 0
  /// Timeouts in a row (RFC 9260 §8.1).
  private var timeouts = 0
  private var heartbeat: Heartbeat
  private var sack = SackSchedule()
  /// The number of packets that were dropped: wrong checksum, ports or tag.
  public private(set) var dropped = 0

  public init(_ configuration: SCTPConfiguration = SCTPConfiguration()) {
    var configuration = configuration
    configuration.maximumPacket = max(512, configuration.maximumPacket)
    self.configuration = configuration
    handshakeTimeout = RetransmissionTimeout(configuration)
    heartbeat = Heartbeat(interval: configuration.heartbeatInterval)
  }

  /// When `advance` is due.
  public var deadline: Instant? {
    guard state != .ended else { return nil }
    return [handshakeDeadline, heartbeat.deadline, sack.deadline, sent?.deadline, reset?.deadline].lazy.compactMap { $0 }.min()
  }

  public var isConnected: Bool { state == .established }
  public var hasEnded: Bool { state == .ended }
  /// The smoothed round trip in microseconds.
  public var roundTrip: Int64? { sent?.timeout.smoothedRoundTrip }
  /// The cost of messages that are not yet acknowledged: their bytes, and 64 for each.
  public var unacknowledged: Int { sent?.stored ?? 0 }

  // MARK: The owner's calls

  /// Sends the first packet (INIT).
  public mutating func start(now: Instant) {
    guard state == .idle else { return }
    state = .initiating
    attempts = 0
    sendInit(now)
  }

  /// Queues a message.
  public mutating func send(_ message: SCTPMessage) throws(SCTPSendError) {
    guard state == .established, let remote, let stored = sent?.stored else { throw .notConnected }
    guard message.stream < min(configuration.streams, remote.incomingStreams) else { throw .noSuchStream }
    guard !message.payload.isEmpty else { throw .empty }
    guard sent?.waiting.isResetting(message.stream) == false else { throw .resetting }
    // One message is always accepted, so that a large one does not need a larger buffer.
    guard stored == 0 || stored + message.cost <= configuration.sendBuffer else { throw .bufferFull }
    sent?.append(message)
  }

  /// Returns the bytes of a stream that are not yet sent.
  public func bufferedAmount(of stream: UInt16) -> Int { sent?.waiting.buffered(stream) ?? 0 }

  /// Sets the unsent bytes at which `bufferedAmountLow` is reported; 0 at first.
  public mutating func setBufferedAmountLow(_ bytes: Int, of stream: UInt16) {
    guard stream < configuration.streams else { return }
    sent?.waiting.setThreshold(max(0, bytes), of: stream)
  }

  /// Closes this side's direction of streams after the messages that are queued (RFC 6525 §5.1.2). `localReset` reports the end.
  public mutating func reset(_ streams: [UInt16]) {
    guard state == .established, let remote else { return }
    let streams = streams.filter { $0 < min(configuration.streams, remote.incomingStreams) }
    guard remote.supportsReset else {
      report(.localReset(streams, isAccepted: false))
      return
    }
    for stream in streams { sent?.waiting.beginReset(stream) }
    reset?.add(streams)
    beginReset()
  }

  /// Ends the association after the messages that are queued (RFC 9260 §9.2).
  public mutating func shutdown(now: Instant) {
    switch state {
    case .idle, .initiating, .echoing: end(.shutdown)
    case .established:
      state = .shutdownPending
      continueShutdown(now)
    default: break
    }
  }

  /// Ends the association at once, and tells the other side.
  public mutating func abort() {
    guard state != .ended else { return }
    if remote != nil { queueAbort(cause: 12) }
    end(.aborted)
  }

  /// Returns the next event.
  public mutating func nextEvent() -> SCTPEvent? {
    if let event = events.removeFirst() { return event }
    guard let event = received?.nextEvent() else { return nil }
    if received?.hasReopened == true { sack.sendAtOnce() }
    return event
  }

  private mutating func report(_ event: SCTPEvent) { events.append(event) }

  // MARK: Packets

  /// Returns the next packet to send.
  public mutating func nextPacket(now: Instant) -> [UInt8]? {
    if let packet = control.nextPacket() { return packet }
    guard let remote, state != .ended else { return nil }
    let space = configuration.maximumPacket - SCTPPacket.headerLength
    let mayCarryData = state == .established || state == .shutdownPending || state == .shutdownReceived
    let hasData = mayCarryData && sent?.canSend(space: space) == true
    let isForwardDue = mayCarryData && sent?.isForwardDue == true
    let isResetDue = mayCarryData && reset?.isDue == true
    let carriesSack = sack.isDue || (sack.hasUnacknowledged && hasData)
    guard hasData || isForwardDue || isResetDue || carriesSack || control.hasChunks else { return nil }
    var writer = writer(tag: remote.tag)
    control.write(to: &writer)
    if carriesSack, let size = received?.sackSize, size <= writer.space {
      received?.writeSack(to: &writer)
      sack.sent()
    }
    // Both are short, or can wait for the next packet.
    if isForwardDue, writer.space >= 64 { sent?.writeForwardTSN(to: &writer, now: now) }
    if isResetDue, writer.space >= 128, let timeout = sent?.timeout.value {
      reset?.write(to: &writer, now: now, timeout: timeout)
    }
    if mayCarryData {
      sent?.write(to: &writer, now: now)
      reportLow()
      beginReset()
    }
    guard writer.isEmpty else { return writer.finish() }
    // What could have been sent was given up instead.
    return sent?.isForwardDue == true ? nextPacket(now: now) : nil
  }

  private func writer(tag: UInt32) -> SCTPWriter {
    SCTPWriter(from: configuration.localPort, to: configuration.remotePort, tag: tag, limit: configuration.maximumPacket)
  }

  /// Queues a packet of one chunk.
  private mutating func queue(tag: UInt32, _ body: (inout SCTPWriter) -> Void) {
    var writer = writer(tag: tag)
    body(&writer)
    control.append(packet: writer.finish())
  }

  private mutating func queueAbort(cause: UInt16) {
    guard let remote else { return }
    queue(tag: remote.tag) { $0.chunk(.abort) { $0.parameter(cause) { _ in } } }
  }

  /// Processes a received packet.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    guard state != .ended, let packet = SCTPPacket(bytes), packet.sourcePort == configuration.remotePort,
      packet.destinationPort == configuration.localPort, accepts(packet)
    else {
      dropped &+= 1
      return
    }
    var hasData = false
    for chunk in packet.chunks {
      guard state != .ended else { return }
      switch chunk.kind {
      case .initiation: receiveInit(chunk, now)
      case .initiationAck: receiveInitAck(chunk, now)
      case .cookieEcho: guard receiveCookie(chunk, tag: packet.verificationTag, now) else { return }
      case .cookieAck: receiveCookieAck(now)
      case .data:
        guard let data = DataChunk(chunk) else { break }
        hasData = true
        receiveData(data)
      case .sack: SackChunk(chunk).map { receiveSack($0, now) }
      case .forwardTSN: ForwardTSNChunk(chunk).map { receiveForwardTSN($0) }
      case .reconfiguration: receiveReset(chunk, now)
      case .heartbeat: queueHeartbeatAck(chunk)
      case .heartbeatAck: receiveHeartbeatAck(chunk, now)
      case .abort:
        // A side that has not begun yet answers an INIT like this (usrsctp does). It may begin before the next attempt.
        guard state != .initiating else { return }
        return end(.abortedByRemote(cause: Self.cause(of: chunk)))
      case .error: receiveError(chunk, now)
      case .shutdown: receiveShutdown(chunk, now)
      case .shutdownAck: receiveShutdownAck()
      case .shutdownComplete: if state == .shutdownAckSent { return end(.shutdown) }
      case nil: guard receiveUnknown(chunk) else { return }
      }
    }
    if hasData, received != nil { sack.receivedPacket(now: now) }
    beginReset()
    reportLow()
    continueShutdown(now)
  }

  /// Checks the verification tag (RFC 9260 §8.5).
  private func accepts(_ packet: SCTPPacket) -> Bool {
    var chunks = packet.chunks
    guard let first = chunks.next() else { return false }
    switch first.kind {
    case .initiation: return packet.verificationTag == 0 && chunks.next() == nil
    // The cookie contains the tag.
    case .cookieEcho: return true
    case .abort, .shutdownComplete:
      let isReflected = first.flags & 1 != 0
      return isReflected
        ? remote.map { $0.tag == packet.verificationTag } ?? false : packet.verificationTag == localTag && state != .idle
    default: return packet.verificationTag == localTag && state != .idle
    }
  }

  // MARK: Setup

  private var initiation: Initiation {
    Initiation(
      tag: localTag, window: UInt32(clamping: configuration.receiveWindow), outgoingStreams: configuration.streams,
      incomingStreams: configuration.streams, firstTSN: firstTSN)
  }

  private mutating func sendInit(_ now: Instant) {
    handshakeDeadline = now.advanced(microseconds: handshakeTimeout.value)
    let initiation = initiation
    queue(tag: 0) { initiation.write(.initiation, to: &$0) }
  }

  /// Answers an INIT without storing anything (§5.1 B, §5.2.1, §5.2.2).
  private mutating func receiveInit(_ chunk: SCTPChunk, _ now: Instant) {
    guard state != .shutdownAckSent, let theirs = Initiation(chunk) else { return }
    var answer = initiation
    // Before it is connected, both directions of a collision use the same tag. Afterwards a new one reveals a restart.
    switch state {
    case .idle, .initiating, .echoing: break
    default:
      answer.tag = .random(in: 1 ... .max)
      answer.firstTSN = TSN(.random(in: .min ... .max))
    }
    var cookie = StateCookie(localTag: answer.tag, localTSN: answer.firstTSN, remote: theirs, created: now)
    if let remote { cookie.tieTags = (localTag, remote.tag) }
    answer.cookie = cookie.signed(with: secret)
    queue(tag: theirs.tag) { answer.write(.initiationAck, to: &$0) }
  }

  private mutating func receiveInitAck(_ chunk: SCTPChunk, _ now: Instant) {
    guard state == .initiating, let theirs = Initiation(chunk) else { return }
    remote = theirs
    guard let cookie = theirs.cookie, cookie.count <= configuration.maximumPacket - SCTPPacket.headerLength - 4 else {
      return fail(.cookie, cause: 2)
    }
    remote?.cookie = nil
    state = .echoing(cookie: cookie)
    attempts = 0
    sendCookie(cookie, now)
  }

  private mutating func sendCookie(_ cookie: [UInt8], _ now: Instant) {
    guard let remote else { return }
    handshakeDeadline = now.advanced(microseconds: handshakeTimeout.value)
    queue(tag: remote.tag) { $0.chunk(.cookieEcho) { $0.append(contentsOf: cookie) } }
  }

  /// Returns false if the rest of the packet must be ignored.
  private mutating func receiveCookie(_ chunk: SCTPChunk, tag: UInt32, _ now: Instant) -> Bool {
    guard let cookie = StateCookie(chunk.value, secret: secret), cookie.localTag == tag else {
      dropped &+= 1
      return false
    }
    let isKnown = remote?.tag == cookie.remote.tag && cookie.localTag == localTag
    guard isKnown && state == .established || (0...StateCookie.lifetime).contains(now - cookie.created) else {
      queue(tag: cookie.remote.tag) { writer in
        // Stale Cookie: the excess in microseconds (§3.3.10.3).
        writer.chunk(.error) { $0.parameter(3) { $0.append(UInt32(clamping: now - cookie.created - StateCookie.lifetime)) } }
      }
      return false
    }
    switch state {
    case .idle, .initiating, .echoing:
      // Both sides began (§5.2.4 B), or the other side alone. The tag is this side's in either case.
      guard cookie.localTag == localTag else { return false }
      establish(with: cookie.remote, now)
    default:
      guard isKnown else {
        // Both tags are new, and the other side knew the old ones: it lost its state (§5.2.4 A). Its packets cannot be read.
        if cookie.localTag != localTag, let remote, cookie.tieTags == (localTag, remote.tag) { end(.restarted) }
        return false
      }
    }
    control.append(chunk: SCTPWriter.alone(.cookieAck))
    return true
  }

  private mutating func receiveCookieAck(_ now: Instant) {
    guard case .echoing = state, let remote else { return }
    establish(with: remote, now)
  }

  private mutating func establish(with theirs: Initiation, _ now: Instant) {
    remote = theirs
    state = .established
    handshakeDeadline = nil
    attempts = 0
    timeouts = 0
    sent = SentData(
      firstTSN: firstTSN, window: theirs.window, supportsForwardTSN: theirs.supportsForwardTSN,
      timeout: RetransmissionTimeout(configuration), configuration)
    received = ReceivedData(
      first: theirs.firstTSN, streams: Int(min(configuration.streams, theirs.outgoingStreams)),
      window: configuration.receiveWindow, maximumMessage: configuration.maximumMessage)
    reset = StreamReset(local: firstTSN, remote: theirs.firstTSN)
    heartbeat.heard(now: now)
    report(.connected(streams: Int(min(configuration.streams, theirs.incomingStreams))))
  }

  // MARK: Data

  private mutating func receiveData(_ chunk: DataChunk) {
    let hadGaps = received?.hasGaps ?? false
    switch received?.receive(chunk) {
    case .accepted:
      // A gap, or its end, is reported at once (§6.7).
      if hadGaps || received?.hasGaps == true || chunk.flags.contains(.immediate) { sack.sendAtOnce() }
    case .duplicate, .dropped: sack.sendAtOnce()
    case .violation(let violation): fail(violation, cause: violation == .emptyData ? 9 : 13)
    case nil: break
    }
    // While this side shuts down, data is answered by SHUTDOWN and SACK (§9.2).
    if state == .shutdownSent { sack.sendAtOnce() }
  }

  private mutating func receiveSack(_ chunk: SackChunk, _ now: Instant) {
    guard sent != nil else { return }
    // Even a SACK of a closed window shows that the other side lives.
    timeouts = 0
    if sent?.receive(chunk, now: now) == false { return fail(.unsentAcknowledged, cause: 13) }
    heartbeat.heard(now: now)
  }

  private mutating func receiveForwardTSN(_ chunk: ForwardTSNChunk) {
    guard let reception = received?.skip(chunk) else { return }
    sack.sendAtOnce()
    if case .violation(let violation) = reception { fail(violation, cause: 13) }
  }

  private mutating func receiveReset(_ chunk: SCTPChunk, _ now: Instant) {
    // Events that the owner does not take occupy the window too.
    guard let cumulative = received?.cumulative, received?.window != 0, let timeout = sent?.timeout.value else { return }
    timeouts = 0
    for outcome in reset?.receive(chunk, cumulative: cumulative, now: now, timeout: timeout) ?? [] {
      switch outcome {
      case .remote(let streams):
        received?.reset(streams)
      case .local(let streams, let isAccepted):
        for stream in streams { sent?.waiting.endReset(stream, isAccepted: isAccepted) }
        report(.localReset(streams, isAccepted: isAccepted))
      }
    }
  }

  private mutating func beginReset() {
    guard state == .established, reset?.isWaiting == true, let sent else { return }
    reset?.begin(lastTSN: sent.lastTSN) { sent.waiting.isDrained($0) && !sent.isSending($0) }
  }

  private mutating func reportLow() {
    for stream in sent?.waiting.takeLow() ?? [] { report(.bufferedAmountLow(stream: stream)) }
  }

  // MARK: Other chunks

  private mutating func queueHeartbeatAck(_ chunk: SCTPChunk) {
    guard remote != nil, chunk.value.count <= configuration.maximumPacket - SCTPPacket.headerLength - 4 else { return }
    control.append(chunk: SCTPWriter.alone(.heartbeatAck) { $0.append(contentsOf: chunk.value) })
  }

  private mutating func receiveHeartbeatAck(_ chunk: SCTPChunk, _ now: Instant) {
    guard let roundTrip = heartbeat.answered(chunk, now: now) else { return }
    timeouts = 0
    sent?.measured(roundTrip)
  }

  private static func cause(of chunk: SCTPChunk) -> UInt16? {
    var causes = TLVSequence<SCTPParameter>(chunk.value)
    return causes.next()?.type
  }

  private mutating func receiveError(_ chunk: SCTPChunk, _ now: Instant) {
    // Stale Cookie: a new INIT gets a new cookie; the attempts are still counted (§5.2.6).
    guard case .echoing = state, Self.cause(of: chunk) == 3 else { return }
    state = .initiating
    remote = nil
    sendInit(now)
  }

  /// Returns whether the packet's other chunks may be read; the two highest bits of the type say so (§3.2).
  private mutating func receiveUnknown(_ chunk: SCTPChunk) -> Bool {
    if chunk.type & 0x40 != 0, remote != nil, chunk.value.count <= configuration.maximumPacket - SCTPPacket.headerLength - 12 {
      control.append(
        chunk: SCTPWriter.alone(.error) { writer in
          // Unrecognized Chunk Type: the chunk (§3.3.10.6).
          writer.parameter(6) { writer in
            writer.append(chunk.type)
            writer.append(chunk.flags)
            writer.append(UInt16(truncatingIfNeeded: chunk.value.count + 4))
            writer.append(contentsOf: chunk.value)
          }
        })
    }
    return chunk.type & 0x80 != 0
  }

  // MARK: Shutdown

  private mutating func receiveShutdown(_ chunk: SCTPChunk, _ now: Instant) {
    switch state {
    case .established, .shutdownPending: state = .shutdownReceived
    case .shutdownSent:
      // Both sides shut down (§9.2).
      sendShutdownAck(now)
    default: break
    }
  }

  private mutating func receiveShutdownAck() {
    guard state == .shutdownSent || state == .shutdownAckSent, let remote else { return }
    queue(tag: remote.tag) { $0.chunk(.shutdownComplete) { _ in } }
    end(.shutdown)
  }

  /// Sends SHUTDOWN or SHUTDOWN-ACK once all messages are acknowledged.
  private mutating func continueShutdown(_ now: Instant) {
    guard state == .shutdownPending || state == .shutdownReceived, sent?.isEmpty != false else { return }
    attempts = 0
    if state == .shutdownReceived { sendShutdownAck(now) } else { sendShutdown(now) }
  }

  private mutating func sendShutdown(_ now: Instant) {
    guard let cumulative = received?.cumulative else { return }
    state = .shutdownSent
    handshakeDeadline = now.advanced(microseconds: sent?.timeout.value ?? configuration.initialTimeout)
    control.append(chunk: SCTPWriter.alone(.shutdown) { $0.append(cumulative.rawValue) })
  }

  private mutating func sendShutdownAck(_ now: Instant) {
    state = .shutdownAckSent
    handshakeDeadline = now.advanced(microseconds: sent?.timeout.value ?? configuration.initialTimeout)
    control.append(chunk: SCTPWriter.alone(.shutdownAck))
  }

  // MARK: Time and end

  /// Performs what is due.
  public mutating func advance(to now: Instant) {
    guard state != .ended else { return }
    sack.advance(to: now)
    if let due = handshakeDeadline, due <= now { repeatHandshake(now) }
    guard sent != nil, state != .ended else { return }
    if sent?.expire(now: now) == true { countTimeout() }
    if reset?.expire(now: now) == true { countTimeout() }
    if let timeout = sent?.timeout.value, let next = heartbeat.next(now: now, timeout: timeout) {
      control.append(chunk: next.chunk)
      if next.isMissed { countTimeout() }
    }
    reportLow()
  }

  private mutating func countTimeout() {
    timeouts += 1
    if timeouts > configuration.maximumTimeouts {
      queueAbort(cause: 12)
      end(.lost)
    }
  }

  private mutating func repeatHandshake(_ now: Instant) {
    handshakeDeadline = nil
    attempts += 1
    handshakeTimeout.expired()
    switch state {
    case .initiating, .echoing:
      guard attempts <= configuration.maximumStarts else { return end(.noAnswer) }
      if case .echoing(let cookie) = state { sendCookie(cookie, now) } else { sendInit(now) }
    case .shutdownSent, .shutdownAckSent:
      guard attempts <= configuration.maximumTimeouts else { return end(.shutdown) }
      if state == .shutdownSent { sendShutdown(now) } else { sendShutdownAck(now) }
    default: break
    }
  }

  private mutating func fail(_ violation: SCTPViolation, cause: UInt16) {
    queueAbort(cause: cause)
    end(.violation(violation))
  }

  /// Frees everything but messages and events that the owner has not taken.
  private mutating func end(_ reason: SCTPClosure) {
    guard state != .ended else { return }
    state = .ended
    sent = nil
    reset = nil
    control.removeChunks()
    while let event = received?.nextEvent() { events.append(event) }
    received = nil
    report(.closed(reason))
  }
}
