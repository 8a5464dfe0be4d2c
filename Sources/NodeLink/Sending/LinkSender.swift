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

  private let cipher: LinkCipher
  private let epoch: UInt8
  private let ring: DatagramRing
  private var budget: ResendBudget
  /// The body of the datagram that is being filled.
  private let body: UnsafeMutableRawPointer
  private var used = 0
  /// The numbers that wait to be sent again: a ring of `ring.capacity`, with its first and the count.
  private let queue: UnsafeMutablePointer<UInt64>
  private var queueStart = 0
  private var queueCount = 0
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
    queue = .allocate(capacity: capacity)
    sealed = number
    highestSent = number
  }

  deinit {
    body.deallocate()
    queue.deallocate()
  }

  /// Whether `next` has something to send.
  var hasDatagrams: Bool { highestSent < sealed || queueCount > 0 }

  /// Adds a record to the open datagram, which is sealed first if the record does not fit. Returns false if the record is lost.
  mutating func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, now: Instant) -> Bool {
    guard payload.count <= LinkRecord.payloadLimit else {
      counters.oversized &+= 1
      return false
    }
    if used > 0, used + record.headBytes + payload.count > LinkDatagram.bodyBytes { flush(now: now) }
    if used == 0 {
      guard sealed - highestSent < UInt64(ring.capacity / 2), sealed < LinkDatagram.highestNumber else {
        counters.full &+= 1
        return false
      }
      body.store32(now.stamp, 0)
      used = LinkDatagram.stampBytes
    }
    used += record.write(to: body + used, payload, now: now)
    counters.records &+= 1
    return true
  }

  /// Seals the open datagram.
  mutating func flush(now: Instant) {
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
    ring.store(number, length: isSealed ? length : 0, now: now)
    if !isSealed { counters.unsealed &+= 1 }
  }

  /// Writes the next datagram to send and returns its length: those that the receiver misses first. Returns 0 if there is none.
  /// - Parameter target: at least `LinkDatagram.longest` bytes.
  mutating func next(into target: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
    while queueCount > 0 {
      let number = queue[queueStart]
      queueStart = (queueStart + 1) & (ring.capacity - 1)
      queueCount -= 1
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
      now - entry.pointee.sealedAt < Self.memory
    else {
      counters.forgotten &+= 1
      return
    }
    guard !entry.pointee.isQueued else { return }
    if let resentAt = entry.pointee.resentAt, now - resentAt < roundTrip {
      counters.early &+= 1
      return
    }
    guard queueCount < ring.capacity, budget.take(entry.pointee.length) else {
      counters.overBudget &+= 1
      return
    }
    entry.pointee.isQueued = true
    queue[(queueStart + queueCount) & (ring.capacity - 1)] = number
    queueCount += 1
  }
}
