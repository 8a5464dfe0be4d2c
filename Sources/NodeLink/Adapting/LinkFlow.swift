import RoomRTP

/// What this end of a link sends when: everything at once while the path has no known limit; else audio at once, and video as the path
/// carries it, with the layers that fit.
struct LinkFlow {
  struct Counters: Hashable {
    /// Records of streams that are held back.
    var held: UInt64 = 0
    /// Records that waited too long, or found no room.
    var late: UInt64 = 0
  }

  /// Microseconds for which a record of video may wait.
  private static let patience: Int64 = 500_000
  private static let interval: Int64 = 100_000
  /// The part of the path that streams may use, and the most that is kept for repairs.
  private static let usable = 0.95
  private static let repairs = 0.25
  private(set) var streams = SentStreams()
  private(set) var path = LinkPath()
  private(set) var counters = Counters()
  private var pacer = LinkPacer()
  /// Allocated at the first limit.
  private var waiting: WaitingRecords?
  private var allocateAt = Instant(microseconds: 0)
  private var allocated = 0
  private var isAdapted = false
  private var isHolding = false
  /// The newest datagram whose outcome is known.
  private var taken: UInt64 = 0

  var isLimited: Bool { path.isLimited }
  var hasWaiting: Bool { waiting?.count ?? 0 > 0 }
  var waitingBytes: Int { waiting?.bytes ?? 0 }
  /// The bits per second that repairs are a quarter of; nil without a limit.
  var limit: Int? { path.isLimited ? path.sustainable : nil }

  // MARK: Streams

  mutating func begin(_ stream: UInt32, _ place: StreamPlace, isWanted: Bool) {
    streams.begin(stream, place, isWanted: isWanted)
    allocateAt = Instant(microseconds: 0)
  }

  mutating func end(_ stream: UInt32) { streams.end(stream) }

  mutating func want(_ isWanted: Bool, _ stream: UInt32) {
    streams.want(isWanted, stream)
    allocateAt = Instant(microseconds: 0)
  }

  mutating func wantNone() { streams.wantNone() }

  // MARK: Records

  /// What becomes of a record.
  enum Admission { case urgent, plain, held, waits, late }

  /// Takes a record that is written; one that `waits` is kept.
  mutating func admit(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, now: Instant) -> Admission {
    let (crosses, mayWait) = streams.count(record.stream, payload.count)
    guard crosses else {
      counters.held &+= 1
      return .held
    }
    guard mayWait else { return .urgent }
    guard path.isLimited || hasWaiting else { return .plain }
    let waiting = waiting ?? WaitingRecords()
    self.waiting = waiting
    guard waiting.append(record, payload, now: now) else {
      counters.late &+= 1
      return .late
    }
    return .waits
  }

  /// Whether video, repairs and padding may be sent now.
  mutating func isOpen(_ now: Instant) -> Bool { !path.isLimited || pacer.isOpen(now) }

  /// Fills a datagram with records that waited.
  mutating func fill(_ sender: inout LinkSender, now: Instant) {
    guard let waiting else { return }
    var held = 0
    var late = 0
    while waiting.takeFirst({ record, payload, at in
      if !payload.isEmpty {
        if !streams.crosses(record.stream) {
          held += 1
          return true
        }
        if now - at > Self.patience {
          late += 1
          return true
        }
      }
      guard sender.fits(record, payload.count) else { return false }
      _ = sender.write(record, payload, isUrgent: false, now: now)
      return true
    }) {}
    counters.held &+= UInt64(held)
    counters.late &+= UInt64(late)
    sender.flush(now: now)
  }

  /// Records a datagram of records that leaves.
  /// - Parameter number: nil if it is sent again.
  mutating func sent(_ number: UInt64?, bytes: Int, now: Instant) {
    if path.isLimited { pacer.spend(bytes + LinkDatagram.outerBytes) }
    if let number { path.sent(number, at: now) }
  }

  // MARK: Time

  /// When ``advance(to:)`` has something to do, or a datagram that waited may leave; nil if nothing is due.
  func deadline(hasRepairs: Bool) -> Instant? {
    guard path.isLimited || isAdapted else { return nil }
    var due = allocateAt
    if let time = path.deadline { due = min(due, time) }
    if hasRepairs || hasWaiting || path.isProbing { due = min(due, pacer.opensAt) }
    return due
  }

  /// Takes when datagrams arrived.
  mutating func take(_ report: ArrivalReport, of sender: borrowing LinkSender, roundTrip: Int64?, now: Instant) {
    for index in report.entries.indices {
      let number = report.first &+ UInt64(index)
      guard number > taken, number <= sender.highestSent else { continue }
      taken = number
      guard let sending = sender.sending(number) else { continue }
      path.take(
        number, sent: sending.at, bytes: sending.length + LinkDatagram.outerBytes, arrival: report.stamp(index), now: now)
    }
    path.takeRepaired(Int(report.repaired))
    streams.measure(now)
    let wasLimited = path.isLimited
    path.update(roundTrip: roundTrip, demand: streams.demand, isHolding: isHolding, now: now)
    if path.isLimited { pacer.set(path.paceRate, now: now) }
    if path.isLimited != wasLimited || path.isLimited && path.sustainable < allocated - allocated / 20 {
      allocateAt = Instant(microseconds: 0)
    }
  }

  /// Decides what crosses, if it is time to. Returns what changed for the sources.
  mutating func advance(to now: Instant) -> [SentStreams.Change] {
    path.advance(to: now)
    guard path.isLimited || isAdapted, now >= allocateAt else { return [] }
    if path.isLimited { pacer.set(path.paceRate, now: now) }
    allocateAt = now.advanced(microseconds: Self.interval)
    allocated = path.isLimited ? path.sustainable : 0
    let changes = streams.allocate(budget: path.isLimited ? budget : nil, now: now)
    (isAdapted, isHolding) = (streams.isAdapted, streams.isHolding)
    return changes
  }

  /// The bits per second to divide: without what repairs need, and what waits now.
  private var budget: Int {
    let carried = Double(path.sustainable)
    let part = Int(carried * (Self.usable - min(path.loss, Self.repairs)))
    return part - max(0, waitingBytes * 8 - part / 10)
  }
}

/// What a link does because its path carries less than its streams need.
public struct LinkAdaptation: Hashable, Sendable {
  /// What the path carries in bits per second; nil while no limit is known.
  public var limit: Int?
  /// The bytes of video that wait.
  public var waiting = 0
  /// The wanted streams that are held back.
  public var held = 0

  public init(limit: Int? = nil, waiting: Int = 0, held: Int = 0) {
    self.limit = limit
    self.waiting = waiting
    self.held = held
  }
}
