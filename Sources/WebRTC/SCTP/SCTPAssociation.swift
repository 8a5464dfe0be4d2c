public import RoomRTP

/// One SCTP association as data channels use it (RFC 9260, RFC 8831), without I/O: no multihoming, no authentication, over DTLS.
///
/// The association uses no socket and no clock. The association's owner
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
  let setup: SCTPSetup
  private var state = State.idle
  private var remote: Initiation?
  /// What is transferred; nil before the association is established, and after it has ended.
  private var transfer: SCTPTransfer?
  private var control: ControlQueue
  private var handshake: HandshakeTimer
  /// The events that are left of an association that has ended.
  private var events = Ring<SCTPEvent>()
  /// The number of packets that were dropped: wrong checksum, ports or tag.
  public private(set) var dropped = 0

  public init(_ configuration: SCTPConfiguration = SCTPConfiguration()) {
    var configuration = configuration
    configuration.maximumPacket = max(512, configuration.maximumPacket)
    self.configuration = configuration
    setup = SCTPSetup(configuration)
    control = ControlQueue(configuration)
    handshake = HandshakeTimer(configuration)
  }

  /// When `advance` is due.
  public var deadline: Instant? {
    guard state != .ended else { return nil }
    return [handshake.deadline, transfer?.deadline].lazy.compactMap { $0 }.min()
  }

  public var isConnected: Bool { state == .established }
  public var hasEnded: Bool { state == .ended }
  /// The smoothed round trip in microseconds.
  public var roundTrip: Int64? { transfer?.timeout.smoothedRoundTrip }
  /// The cost of messages that are not yet acknowledged: their bytes, and 64 for each.
  public var unacknowledged: Int { transfer?.unacknowledged ?? 0 }

  // MARK: The owner's calls

  /// Sends the first packet (INIT).
  public mutating func start(now: Instant) {
    guard state == .idle else { return }
    state = .initiating
    handshake.beginCount()
    sendInit(now)
  }

  /// Queues a message.
  public mutating func send(_ message: SCTPMessage) throws(SCTPSendError) {
    guard state == .established, transfer != nil else { throw .notConnected }
    try transfer?.send(message)
  }

  /// Returns the bytes of a stream that are not yet sent.
  public func bufferedAmount(of stream: UInt16) -> Int { transfer?.bufferedAmount(of: stream) ?? 0 }

  /// Sets the unsent bytes at which `bufferedAmountLow` is reported; 0 at first.
  public mutating func setBufferedAmountLow(_ bytes: Int, of stream: UInt16) {
    guard stream < configuration.streams else { return }
    transfer?.setBufferedAmountLow(bytes, of: stream)
  }

  /// Closes this side's direction of streams after the messages that are queued (RFC 6525 §5.1.2). `localReset` reports the end.
  public mutating func reset(_ streams: [UInt16]) {
    if state == .established { transfer?.reset(streams) }
  }

  /// Ends the association after the messages that are queued (RFC 9260 §9.2).
  public mutating func shutdown(now: Instant) {
    switch state {
    case .idle, .initiating, .echoing: end(.shutdown)
    case .established:
      state = .shutdownPending
      transfer?.isClosing = true
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
  public mutating func nextEvent() -> SCTPEvent? { events.removeFirst() ?? transfer?.nextEvent() }

  // MARK: Packets

  /// Returns the next packet to send.
  public mutating func nextPacket(now: Instant) -> [UInt8]? {
    if let packet = control.nextPacket() { return packet }
    guard let remote, state != .ended else { return nil }
    let mayCarryData = state == .established || state == .shutdownPending || state == .shutdownReceived
    let load = transfer?.load(space: control.space, mayCarryData: mayCarryData)
    guard load?.isEmpty == false || control.hasChunks else { return nil }
    var writer = control.writer(tag: remote.tag)
    control.write(to: &writer)
    if let load { transfer?.write(load, to: &writer, mayCarryData: mayCarryData, now: now) }
    guard writer.isEmpty else { return writer.finish() }
    // What could have been sent was given up instead.
    return transfer?.isForwardDue == true ? nextPacket(now: now) : nil
  }

  private mutating func queueAbort(cause: UInt16) {
    guard let remote else { return }
    control.append(tag: remote.tag) { $0.chunk(.abort) { $0.parameter(cause) { _ in } } }
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
        check(transfer?.receive(data))
        // While this side shuts down, data is answered by SHUTDOWN and SACK (§9.2).
        if state == .shutdownSent { transfer?.sendSackAtOnce() }
      case .sack: if let sack = SackChunk(chunk) { check(transfer?.receive(sack, now: now)) }
      case .forwardTSN: if let forward = ForwardTSNChunk(chunk) { check(transfer?.receive(forward)) }
      case .reconfiguration: transfer?.receiveReset(chunk, now: now)
      case .heartbeat: if remote != nil { control.answer(heartbeat: chunk) }
      case .heartbeatAck: transfer?.receiveHeartbeatAck(chunk, now: now)
      case .abort:
        // A side that has not begun yet answers an INIT like this (usrsctp does). The side may begin before the next attempt.
        guard state != .initiating else { return }
        return end(.abortedByRemote(cause: Self.cause(of: chunk)))
      case .error: receiveError(chunk, now)
      case .shutdown: receiveShutdown(chunk, now)
      case .shutdownAck: receiveShutdownAck()
      case .shutdownComplete: if state == .shutdownAckSent { return end(.shutdown) }
      case nil: guard receiveUnknown(chunk) else { return }
      }
    }
    if hasData { transfer?.receivedPacket(now: now) }
    transfer?.settle()
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
        ? remote.map { $0.tag == packet.verificationTag } ?? false : packet.verificationTag == setup.localTag && state != .idle
    default: return packet.verificationTag == setup.localTag && state != .idle
    }
  }

  // MARK: Setup

  private mutating func sendInit(_ now: Instant) {
    handshake.start(now: now)
    let initiation = setup.initiation
    control.append(tag: 0) { initiation.write(.initiation, to: &$0) }
  }

  /// Whether the association has been established; it may be shutting down.
  private var hasBegun: Bool { transfer != nil }

  /// Answers an INIT without storing anything (§5.1 B).
  private mutating func receiveInit(_ chunk: SCTPChunk, _ now: Instant) {
    guard state != .shutdownAckSent, let theirs = Initiation(chunk) else { return }
    let answer = setup.answer(to: theirs, known: remote, isConnected: hasBegun, now: now)
    control.append(tag: theirs.tag) { answer.write(.initiationAck, to: &$0) }
  }

  private mutating func receiveInitAck(_ chunk: SCTPChunk, _ now: Instant) {
    guard state == .initiating, let theirs = Initiation(chunk) else { return }
    remote = theirs
    guard let cookie = theirs.cookie, cookie.count <= control.space - 4 else {
      return fail(.cookie, cause: 2)
    }
    remote?.cookie = nil
    state = .echoing(cookie: cookie)
    handshake.beginCount()
    sendCookie(cookie, now)
  }

  private mutating func sendCookie(_ cookie: [UInt8], _ now: Instant) {
    guard let remote else { return }
    handshake.start(now: now)
    control.append(tag: remote.tag) { $0.chunk(.cookieEcho) { $0.append(contentsOf: cookie) } }
  }

  /// Returns false if the rest of the packet must be ignored.
  private mutating func receiveCookie(_ chunk: SCTPChunk, tag: UInt32, _ now: Instant) -> Bool {
    let isOpen = state == .established
    switch setup.echo(chunk, tag: tag, known: remote, isConnected: hasBegun, isOpen: isOpen, now: now) {
    case .forged:
      dropped &+= 1
      return false
    case .stale(let cookie, let excess):
      control.append(tag: cookie.remote.tag) { writer in
        // Stale Cookie: the excess in microseconds (§3.3.10.3).
        writer.chunk(.error) { $0.parameter(3) { $0.append(UInt32(clamping: excess)) } }
      }
      return false
    case .unrelated: return false
    case .restarts:
      // The packets of the new association cannot be read.
      end(.restarted)
      return false
    case .begins(let theirs): establish(with: theirs, now)
    case .repeats: break
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
    handshake.stop()
    transfer = SCTPTransfer(configuration, firstTSN: setup.firstTSN, with: theirs, now: now)
  }

  // MARK: Other chunks

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
    if chunk.type & 0x40 != 0, remote != nil { control.reject(chunk) }
    return chunk.type & 0x80 != 0
  }

  // MARK: Shutdown

  private mutating func receiveShutdown(_ chunk: SCTPChunk, _ now: Instant) {
    switch state {
    case .established, .shutdownPending:
      state = .shutdownReceived
      transfer?.isClosing = true
    case .shutdownSent:
      // Both sides shut down (§9.2).
      sendShutdownAck(now)
    default: break
    }
  }

  private mutating func receiveShutdownAck() {
    guard state == .shutdownSent || state == .shutdownAckSent, let remote else { return }
    control.append(tag: remote.tag) { $0.chunk(.shutdownComplete) { _ in } }
    end(.shutdown)
  }

  /// Sends SHUTDOWN or SHUTDOWN-ACK once all messages are acknowledged.
  private mutating func continueShutdown(_ now: Instant) {
    guard state == .shutdownPending || state == .shutdownReceived, transfer?.isDrained != false else { return }
    handshake.beginCount()
    if state == .shutdownReceived { sendShutdownAck(now) } else { sendShutdown(now) }
  }

  private mutating func sendShutdown(_ now: Instant) {
    guard let transfer else { return }
    state = .shutdownSent
    handshake.start(now: now, transfer.timeout.value)
    control.append(chunk: SCTPWriter.alone(.shutdown) { $0.append(transfer.cumulative.rawValue) })
  }

  private mutating func sendShutdownAck(_ now: Instant) {
    state = .shutdownAckSent
    handshake.start(now: now, transfer?.timeout.value ?? configuration.initialTimeout)
    control.append(chunk: SCTPWriter.alone(.shutdownAck))
  }

  // MARK: Time and end

  /// Performs what is due.
  public mutating func advance(to now: Instant) {
    guard state != .ended else { return }
    if handshake.expire(now: now) { repeatHandshake(now) }
    if let chunk = transfer?.advance(to: now) { control.append(chunk: chunk) }
    if let timeouts = transfer?.timeouts, timeouts > configuration.maximumTimeouts {
      queueAbort(cause: 12)
      end(.lost)
    }
    transfer?.settle()
  }

  private mutating func repeatHandshake(_ now: Instant) {
    switch state {
    case .initiating, .echoing:
      guard handshake.attempts <= configuration.maximumStarts else { return end(.noAnswer) }
      if case .echoing(let cookie) = state { sendCookie(cookie, now) } else { sendInit(now) }
    case .shutdownSent, .shutdownAckSent:
      guard handshake.attempts <= configuration.maximumTimeouts else { return end(.shutdown) }
      if state == .shutdownSent { sendShutdown(now) } else { sendShutdownAck(now) }
    default: break
    }
  }

  /// Ends the association if the other side has violated the protocol.
  private mutating func check(_ violation: SCTPViolation?) {
    guard let violation else { return }
    fail(violation, cause: violation == .emptyData ? 9 : 13)
  }

  private mutating func fail(_ violation: SCTPViolation, cause: UInt16) {
    queueAbort(cause: cause)
    end(.violation(violation))
  }

  /// Frees everything but messages and events that the owner has not taken.
  private mutating func end(_ reason: SCTPClosure) {
    guard state != .ended else { return }
    state = .ended
    control.removeChunks()
    while let event = transfer?.nextEvent() { events.append(event) }
    transfer = nil
    events.append(.closed(reason))
  }
}
