import RoomRTP

/// The sending end of one direction: collects records in datagrams, seals them, and sends the missing ones again. No call allocates.
struct LinkSender: ~Copyable {
  struct Counters: Hashable, Sendable {
    var records: UInt64 = 0
    var datagrams: UInt64 = 0
    var bytes: UInt64 = 0
    /// Records longer than ``LinkRecord/payloadLimit``.
    var oversized: UInt64 = 0
    /// Records refused because half of the ring waited to be sent.
    var full: UInt64 = 0
    /// Datagrams that libcrypto did not seal, with all their records.
    var unsealed: UInt64 = 0
    var resent: UInt64 = 0
    /// Requests for datagrams that the ring has no more, or that are older than 2 s.
    var forgotten: UInt64 = 0
    /// Requests for datagrams that were sent again less than a round trip ago.
    var early: UInt64 = 0
    /// Requests beyond the budget.
    var overBudget: UInt64 = 0
  }

  /// The time in microseconds for which datagrams are sent again.
  private static let memory: Int64 = 2_000_000
  /// The minimum time in microseconds between the two copies of a datagram that is sent again on a path with a long round trip.
  private static let repetition: Int64 = 4_000

  private let cipher: LinkCipher
  private let epoch: UInt8
  private let ring: DatagramRing
  private var budget: ResendBudget
  /// The body of the datagram that is being filled.
  private let body: UnsafeMutableRawPointer
  private var used = 0
  /// Whether a record in it may not wait.
  private var isUrgent = false
  /// The numbers that wait to be sent again.
  private var urgentRepairs: ResendQueue
  private var repairs: ResendQueue
  /// The number of the newest sealed datagram, and of the newest that was taken.
  private(set) var sealed: UInt64
  private(set) var highestSent: UInt64
  /// When the newest datagram was taken.
  private(set) var lastSentAt: Instant?
  private(set) var counters = Counters()

  /// - Parameter number: the last number that was used before.
  init(cipher: LinkCipher, epoch: UInt8, capacity: Int, after number: UInt64, now: Instant) {
    self.cipher = cipher
    self.epoch = epoch
    ring = DatagramRing(capacity: capacity)
    budget = ResendBudget(now: now)
    body = .allocate(byteCount: LinkDatagram.longest, alignment: 64)
    urgentRepairs = ResendQueue(capacity: capacity)
    repairs = ResendQueue(capacity: capacity)
    sealed = number
    highestSent = number
  }

  deinit { body.deallocate() }

  /// Whether `next` has something to send that may not wait.
  var hasDatagrams: Bool { highestSent < sealed || urgentRepairs.count > 0 }
  /// Whether it has datagrams to send again that may wait.
  var hasRepairs: Bool { repairs.count > 0 }

  /// Whether a record fits in the open datagram.
  func fits(_ record: LinkRecord, _ bytes: Int) -> Bool {
    used == 0 || used + record.headBytes + bytes <= LinkDatagram.bodyBytes
  }

  /// Adds a record to the open datagram, which is sealed first if the record does not fit. Returns false if the record is lost.
  /// - Parameter isUrgent: whether it may not wait for others.
  mutating func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, isUrgent: Bool, now: Instant) -> Bool {
    guard payload.count <= LinkRecord.payloadLimit else {
      counters.oversized &+= 1
      return false
    }
    if !fits(record, payload.count) { flush(now: now) }
    if used == 0 {
      guard sealed - highestSent < UInt64(ring.capacity / 2), sealed < LinkDatagram.highestNumber else {
        counters.full &+= 1
        return false
      }
      body.store32(now.stamp, 0)
      used = LinkDatagram.stampBytes
    }
    used += record.write(to: body + used, payload, now: now)
    if isUrgent { self.isUrgent = true }
    counters.records &+= 1
    return true
  }

  /// Seals the open datagram.
  mutating func flush(now: Instant) { seal(isPadding: false, now: now) }

  /// Seals a datagram without records, whose body has this length, at least 24 bytes. Does nothing if others wait to be sent.
  mutating func pad(_ bytes: Int, now: Instant) {
    flush(now: now)
    guard sealed == highestSent, sealed < LinkDatagram.highestNumber else { return }
    let length = min(max(bytes, LinkDatagram.stampBytes + LinkRecord.shortestHead), LinkDatagram.bodyBytes)
    body.initializeMemory(as: UInt8.self, repeating: 0, count: length)
    body.store32(now.stamp, 0)
    LinkRecord.writePadding(to: body + LinkDatagram.stampBytes)
    used = length
    seal(isPadding: true, now: now)
  }

  private mutating func seal(isPadding: Bool, now: Instant) {
    guard used > 0 else { return }
    let number = sealed + 1
    let target = ring.bytes(number)
    LinkDatagram.Header(kind: .records, epoch: epoch, number: number).write(to: target)
    let isSealed = cipher.seal(
      UnsafeRawBufferPointer(start: body, count: used),
      clear: UnsafeRawBufferPointer(start: target, count: LinkDatagram.headerBytes), kind: LinkDatagram.Kind.records.rawValue,
      number: number, into: target + LinkDatagram.headerBytes)
    let length = used + LinkDatagram.overhead
    used = 0
    // Its number is used up: part of it may have been encrypted under the nonce.
    sealed = number
    ring.store(number, length: isSealed ? length : 0, isUrgent: isUrgent, isPadding: isPadding, now: now)
    isUrgent = false
    if !isSealed { counters.unsealed &+= 1 }
  }

  /// Sets what the path carries in bits per second; nil without a limit.
  mutating func limit(to bitrate: Int?) { budget.limit(to: bitrate) }

  /// Returns when a datagram was sent for the first time, and its length; nil if the ring does not have it any more.
  func sending(_ number: UInt64) -> (at: Instant, length: Int)? {
    guard number <= highestSent, let entry = ring.entry(number), entry.pointee.length > 0 else { return nil }
    return (entry.pointee.sentAt, entry.pointee.length)
  }

  /// Writes the next datagram to send and returns its length: those that the receiver misses first. Returns 0 if there is none.
  /// - Parameters:
  ///   - target: at least `LinkDatagram.longest` bytes.
  ///   - repairs: whether datagrams may be sent again that are not urgent.
  mutating func next(into target: UnsafeMutableRawBufferPointer, repairs: Bool = true, now: Instant) -> Int {
    while let number = urgentRepairs.removeFirst() ?? (repairs ? self.repairs.removeFirst() : nil) {
      guard let entry = ring.entry(number), entry.pointee.isQueued else { continue }
      entry.pointee.isQueued = false
      entry.pointee.resentAt = now
      counters.resent &+= 1
      return copy(number, entry.pointee.length, to: target)
    }
    while highestSent < sealed {
      highestSent += 1
      lastSentAt = now
      guard let entry = ring.entry(highestSent), entry.pointee.length > 0 else { continue }
      entry.pointee.sentAt = now
      budget.sent(entry.pointee.length, now: now)
      counters.datagrams &+= 1
      return copy(highestSent, entry.pointee.length, to: target)
    }
    return 0
  }

  private mutating func copy(_ number: UInt64, _ length: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = target.baseAddress, length <= target.count else { return 0 }
    base.copyMemory(from: ring.bytes(number), byteCount: length)
    counters.bytes &+= UInt64(length)
    return length
  }

  /// Queues a datagram that the receiver misses, if the ring has it and the budget allows it.
  /// - Parameter roundTrip: in microseconds.
  mutating func resend(_ number: UInt64, roundTrip: Int64, now: Instant) {
    guard number <= highestSent, let entry = ring.entry(number), entry.pointee.length > 0,
      !entry.pointee.isPadding, now - entry.pointee.sealedAt < Self.memory
    else {
      counters.forgotten &+= 1
      return
    }
    guard !entry.pointee.isQueued else { return }
    var isRepeated = false
    if let resentAt = entry.pointee.resentAt, now - resentAt < roundTrip {
      isRepeated = !entry.pointee.isRepeated && roundTrip >= LinkDatagram.longRoundTrip && now - resentAt >= Self.repetition
      guard isRepeated, entry.pointee.isUrgent || !budget.isLimited else {
        counters.early &+= 1
        return
      }
    }
    guard !repairs.isFull, !urgentRepairs.isFull, budget.take(entry.pointee.length, isUrgent: entry.pointee.isUrgent) else {
      counters.overBudget &+= 1
      return
    }
    entry.pointee.isQueued = true
    entry.pointee.isRepeated = isRepeated
    if entry.pointee.isUrgent { urgentRepairs.append(number) } else { repairs.append(number) }
  }
}
