public import RoomRTP

/// One end of a link between two nodes: streams of records cross it once, sealed, and lost ones are repaired. It has no socket, no
/// thread and no clock.
///
/// - The owner writes records with ``write(_:_:now:)``, then calls ``flush(now:)``. It sends what ``next(into:now:)`` returns, and
///   passes what arrives to ``receive(_:now:deliver:)``.
/// - It calls ``advance(to:)`` at ``deadline``, and takes the events with ``nextEvent()`` after each call.
/// - Records arrive once, in the order of their arrival; the consumer reorders them by their sequence numbers.
/// - A record causes no allocation. Control datagrams do: at most one a millisecond.
public struct Link: ~Copyable {
  private let epoch: UInt8
  private let sealing: LinkCipher
  private let opening: LinkCipher
  private var sender: LinkSender
  private var flow = LinkFlow()
  private var heldBack = 0
  private var receiver: LinkReceiver
  private var channel: ControlChannel
  /// The body of a control datagram.
  private let scratch: UnsafeMutableRawPointer
  private var streams = LinkStreams()

  private var reportAt: Instant
  private var lastControlAt: Instant
  private var isControlUrgent = false
  private var owesAcknowledgement = false
  /// The highest number that the other node knows of.
  private var confirmed: UInt64
  private var report = LinkReport()
  private var measured = LinkEstimate()

  private var heardAt: Instant
  public private(set) var liveness = LinkLiveness.waiting
  private var ownCounters = LinkCounters()

  /// Creates the end of a link.
  /// - Parameter numbers: ``numbers`` of the last link with these keys, if there was one.
  /// - Throws: ``LinkError/cryptography``.
  public init(
    _ keys: LinkKeys, continuing numbers: LinkNumbers = LinkNumbers(), options: LinkOptions = LinkOptions(), now: Instant
  ) throws(LinkError) {
    guard let sealing = LinkCipher(keys.sending, opening: false), let opening = LinkCipher(keys.receiving, opening: true) else {
      throw .cryptography
    }
    self.sealing = sealing
    self.opening = opening
    epoch = keys.epoch
    sender = LinkSender(
      cipher: sealing, epoch: keys.epoch, capacity: options.capacity, after: numbers.recordsSent, now: now)
    receiver = LinkReceiver(
      cipher: opening, capacity: options.capacity, policy: .init(patience: max(0, options.patience)),
      after: numbers.recordsReceived, now: now)
    channel = ControlChannel(sent: numbers.controlSent, received: numbers.controlReceived)
    confirmed = numbers.recordsSent
    scratch = .allocate(byteCount: LinkDatagram.longest, alignment: 64)
    // The first control datagram leaves at once.
    reportAt = now
    lastControlAt = now.advanced(microseconds: -LinkOptions.controlSpacing)
    heardAt = now
  }

  deinit { scratch.deallocate() }

  // MARK: Records

  /// Adds a record to the open datagram. Returns false if it is lost, which the counters explain.
  public mutating func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, now: Instant) -> Bool {
    guard liveness != .dead else {
      ownCounters.recordsDead &+= 1
      return false
    }
    switch flow.admit(record, payload, now: now) {
    case .urgent: return sender.write(record, payload, isUrgent: true, now: now)
    case .plain: return sender.write(record, payload, isUrgent: false, now: now)
    case .waits: return true
    case .held, .late: return false
    }
  }

  /// Seals the open datagram, so that ``next(into:now:)`` returns it.
  public mutating func flush(now: Instant) { sender.flush(now: now) }

  /// Writes the next datagram to send and returns its length; 0 if there is none now.
  /// - Parameter target: at least ``longestDatagram`` bytes.
  public mutating func next(into target: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
    guard target.count >= LinkDatagram.longest else { return 0 }
    let isOpen = flow.isOpen(now)
    if flow.hasWaiting, isOpen, !sender.hasDatagrams, !sender.hasRepairs { flow.fill(&sender, now: now) }
    if sender.hasDatagrams || isOpen && sender.hasRepairs {
      let length = records(into: target, repairs: isOpen, now: now)
      if length > 0 { return length }
    }
    if isControlDue(now) { return control(into: target, now: now) }
    guard isOpen, flow.path.isProbing else { return 0 }
    sender.pad(flow.path.paddingBytes, now: now)
    return records(into: target, repairs: false, now: now)
  }

  private mutating func records(into target: UnsafeMutableRawBufferPointer, repairs: Bool, now: Instant) -> Int {
    let highest = sender.highestSent
    let length = sender.next(into: target, repairs: repairs, now: now)
    guard length > 0 else { return 0 }
    flow.sent(sender.highestSent > highest ? sender.highestSent : nil, bytes: length, now: now)
    return length
  }

  /// The length of the longest datagram in bytes.
  public static var longestDatagram: Int { LinkDatagram.longest }

  /// Takes a datagram from the other node's address, and passes its records to `deliver`, whose bytes are valid during the call.
  /// - Returns: nil if it was accepted.
  @discardableResult
  public mutating func receive(
    _ datagram: UnsafeRawBufferPointer, now: Instant, deliver: (LinkRecord, UnsafeRawBufferPointer) -> Void
  ) -> LinkRefusal? {
    let refusal = open(datagram, now: now, deliver: deliver)
    if let refusal { ownCounters.count(refusal) }
    return refusal
  }

  private mutating func open(
    _ datagram: UnsafeRawBufferPointer, now: Instant, deliver: (LinkRecord, UnsafeRawBufferPointer) -> Void
  ) -> LinkRefusal? {
    guard let header = LinkDatagram.Header(datagram) else { return .malformed }
    guard header.epoch == epoch else { return .otherEpoch }
    switch header.kind {
    case .records:
      let refusal = receiver.receive(datagram, header, now: now, deliver: deliver)
      if refusal == nil { noteArrival(now) }
      return refusal
    case .control:
      guard channel.isNew(header.number) else { return .outdated }
      let sealed = datagram.part(LinkDatagram.headerBytes, datagram.count - LinkDatagram.overhead)
      guard
        opening.open(
          sealed, clear: datagram.part(0, LinkDatagram.headerBytes), kind: header.kind.rawValue, number: header.number,
          into: scratch)
      else { return .forged }
      noteArrival(now)
      return takeControl(header.number, UnsafeRawBufferPointer(start: scratch, count: sealed.count), now: now)
    }
  }

  // MARK: Streams

  /// Sets what this node wants of a stream that the other node sends; nil closes it. The link repeats it until the other node
  /// has it. Returns false, and counts it, if there are ``LinkOptions/maximumStreams`` others.
  @discardableResult
  public mutating func want(_ wish: StreamWish?, of stream: UInt32) -> Bool { streams.want(wish, of: stream) }

  /// Informs the other node that this node begins to send a stream, or has stopped. Returns false, and counts it, if there are
  /// ``LinkOptions/maximumStreams`` others.
  /// - Parameter place: what the stream is among the others if the path carries less than all of them.
  @discardableResult
  public mutating func feed(_ isRunning: Bool, stream: UInt32, place: StreamPlace = .audio) -> Bool {
    guard streams.feed(isRunning, stream: stream) else { return false }
    if isRunning {
      flow.begin(stream, place, isWanted: streams.isWanted(stream))
    } else {
      flow.end(stream)
      streams.endAdapting(stream)
    }
    return true
  }

  /// What the other node wants of a stream; nil if nothing. A stream that crosses in place of one that is held back is wanted, and a
  /// resumed one has a request for a key frame more.
  public func wish(of stream: UInt32) -> StreamWish? { streams.remoteWish(of: stream) }

  /// Returns the next event; nil if there is none.
  public mutating func nextEvent() -> LinkEvent? { streams.nextEvent() }

  // MARK: Time

  /// When ``advance(to:)`` and ``next(into:now:)`` have something to do.
  public var deadline: Instant {
    if isControlUrgent { return lastControlAt }
    var due = min(reportAt, livenessAt)
    var soon: Instant?
    func consider(_ time: Instant?) { if let time { soon = min(soon ?? time, time) } }
    consider(owesAcknowledgement || streams.isWaiting ? lastControlAt : nil)
    consider(receiver.deadline)
    consider(streams.repeatAt(retry))
    consider(heartbeatAt)
    consider(streams.wantsArrivals ? receiver.arrivalsDue : nil)
    if let soon { due = min(due, max(soon, lastControlAt.advanced(microseconds: LinkOptions.controlSpacing))) }
    if let time = flow.deadline(hasRepairs: sender.hasRepairs) { due = min(due, time) }
    return due
  }

  /// Notices silence, and decides which streams cross. Call it at ``deadline``, then send what ``next(into:now:)`` returns.
  public mutating func advance(to now: Instant) {
    let silence = now - heardAt
    if silence >= LinkOptions.deadAfter, liveness != .dead {
      liveness = .dead
      streams.report(.dead)
    } else if silence >= LinkOptions.silentAfter, liveness == .live || liveness == .waiting {
      liveness = .silent
      streams.report(.silent)
    }
    adapt(now)
  }

  private mutating func adapt(_ now: Instant) {
    let changes = flow.advance(to: now)
    for change in changes { streams.adapt(change) }
    sender.limit(to: flow.limit)
    let held = flow.streams.heldBack
    guard held != heldBack else { return }
    heldBack = held
    streams.report(.held(held))
  }

  private var livenessAt: Instant {
    switch liveness {
    case .waiting, .live: heardAt.advanced(microseconds: LinkOptions.silentAfter)
    case .silent: heardAt.advanced(microseconds: LinkOptions.deadAfter)
    case .dead: Instant(microseconds: .max)
    }
  }

  private mutating func noteArrival(_ now: Instant) {
    heardAt = now
    guard liveness != .live else { return }
    liveness = .live
    streams.report(.live)
  }

  // MARK: Control

  /// How long to wait for an acknowledgement: the other node answers within a millisecond, if it is there.
  private var retry: Int64 {
    switch liveness {
    case .waiting, .live: max(20_000, channel.roundTrip * 3 / 2)
    case .silent, .dead: LinkOptions.silentAfter
    }
  }

  /// When to repeat the number of the newest datagram; nil if the other node knows of it.
  private var heartbeatAt: Instant? {
    guard confirmed < sender.highestSent, let sent = sender.lastSentAt else { return nil }
    let next = max(sent, lastControlAt).advanced(microseconds: LinkOptions.heartbeatInterval)
    return next - sent < LinkOptions.heartbeatTime ? next : nil
  }

  private func isControlDue(_ now: Instant) -> Bool {
    if isControlUrgent || now >= reportAt { return true }
    guard now - lastControlAt >= LinkOptions.controlSpacing else { return false }
    func isDue(_ time: Instant?) -> Bool { time.map { now >= $0 } ?? false }
    return owesAcknowledgement || streams.isWaiting || isDue(receiver.deadline) || isDue(streams.repeatAt(retry))
      || isDue(heartbeatAt) || streams.wantsArrivals && isDue(receiver.arrivalsDue)
  }

  /// Writes a control datagram: the report if it is due, requests, and states of streams.
  private mutating func control(into target: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
    guard let base = target.baseAddress, channel.sent < LinkDatagram.highestNumber else { return 0 }
    let (number, head) = channel.next(highestSent: sender.highestSent, now: now)
    var body = ControlBody(at: scratch, head)
    if now >= reportAt {
      body.append(.report(receiver.takeReport(now: now)))
      reportAt = now.advanced(microseconds: LinkOptions.reportInterval)
    }
    receiver.requests(now: now, roundTrip: channel.roundTrip, room: body.room(for: ControlBlock.missingBytes)) {
      body.append($0)
    }
    streams.write(into: &body, number: number, now: now, retry: retry)
    if streams.wantsArrivals, now >= receiver.arrivalsDue ?? Instant(microseconds: .max),
      let report = receiver.takeArrivals(room: body.room, now: now)
    {
      body.append(.arrivals(report))
    }
    lastControlAt = now
    owesAcknowledgement = false
    // More waits than fitted.
    isControlUrgent = streams.isWaiting || receiver.deadline.map { now >= $0 } ?? false
    LinkDatagram.Header(kind: .control, epoch: epoch, number: number).write(to: base)
    let isSealed = sealing.seal(
      UnsafeRawBufferPointer(start: scratch, count: body.count),
      clear: UnsafeRawBufferPointer(start: base, count: LinkDatagram.headerBytes), kind: LinkDatagram.Kind.control.rawValue,
      number: number, into: base + LinkDatagram.headerBytes)
    guard isSealed else {
      ownCounters.unsealed &+= 1
      return 0
    }
    ownCounters.controlSent &+= 1
    return body.count + LinkDatagram.overhead
  }

  private mutating func takeControl(_ number: UInt64, _ body: UnsafeRawBufferPointer, now: Instant) -> LinkRefusal? {
    guard let head = ControlHead.read(body) else { return .malformed }
    ownCounters.controlReceived &+= 1
    if channel.receive(number, head, now: now) {
      streams.restart()
      flow.wantNone()
    }
    if let roundTrip = channel.measuredRoundTrip { measured.roundTrip = roundTrip }
    streams.acknowledge(head.acknowledged, before: head.acknowledgedBefore)
    receiver.notice(upTo: head.highestSent, now: now)
    var rest = body.part(from: ControlHead.bytes)
    while !rest.isEmpty {
      guard let block = ControlBlock.read(rest) else { return .malformed }
      rest = rest.part(from: block.bytes)
      switch block {
      case .missing(let first, var mask):
        sender.resend(first, roundTrip: channel.roundTrip, now: now)
        while mask != 0 {
          sender.resend(first + 1 + UInt64(mask.trailingZeroBitCount), roundTrip: channel.roundTrip, now: now)
          mask &= mask - 1
        }
      case .report(let report): take(report)
      case .wish(let stream, let wish):
        streams.take(wish, of: stream)
        flow.want(streams.isWanted(stream), stream)
        owesAcknowledgement = true
      case .feed(let stream, let feed):
        streams.take(feed, of: stream)
        owesAcknowledgement = true
      case .arrivals(let report): take(report, now: now)
      }
    }
    return nil
  }

  mutating func take(_ report: ArrivalReport, now: Instant) {
    flow.take(report, of: sender, roundTrip: channel.measuredRoundTrip, now: now)
    adapt(now)
  }

  private mutating func take(_ newer: LinkReport) {
    confirmed = max(confirmed, newer.highest)
    let sent = Int64(clamping: newer.highest) - Int64(clamping: report.highest)
    let missed = Int64(clamping: newer.missed) - Int64(clamping: report.missed)
    measured.loss = sent > 0 ? min(1, max(0, Double(missed) / Double(sent))) : 0
    measured.bitrate = Int64(newer.kbps) * 1000
    measured.queueing = Int64(newer.queueing)
    measured.lost = newer.lost
    report = newer
  }

  // MARK: Figures

  /// What a later link with the same keys continues after.
  public var numbers: LinkNumbers {
    LinkNumbers(
      recordsSent: sender.sealed, controlSent: channel.sent, recordsReceived: receiver.highestReceived,
      controlReceived: channel.received)
  }

  /// What the other node measured of the path from here to it.
  public var estimate: LinkEstimate { measured }

  /// What this end does because the path carries less than its streams need.
  public var adaptation: LinkAdaptation {
    LinkAdaptation(limit: flow.limit, waiting: flow.waitingBytes, held: heldBack)
  }

  public var counters: LinkCounters {
    var counters = ownCounters
    let sent = sender.counters
    counters.recordsSent = sent.records
    counters.datagramsSent = sent.datagrams
    counters.bytesSent = sent.bytes
    counters.resent = sent.resent
    counters.resendsForgotten = sent.forgotten
    counters.resendsEarly = sent.early
    counters.resendsOverBudget = sent.overBudget
    counters.recordsOversized = sent.oversized
    counters.recordsFull = sent.full
    counters.unsealed &+= sent.unsealed
    counters.recordsHeld = flow.counters.held
    counters.recordsLate = flow.counters.late
    counters.recordsReceived = receiver.records
    counters.datagramsReceived = receiver.received
    counters.missed = receiver.missed
    counters.lost = receiver.lost
    counters.streamsRefused = streams.refused
    counters.eventsLost = streams.eventsLost
    return counters
  }
}
