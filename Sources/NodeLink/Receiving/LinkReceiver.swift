import RoomRTP

/// Why a datagram was refused.
public enum LinkRefusal: Hashable, Sendable, CaseIterable {
  /// Not the form of a link's datagram, or of a record in it.
  case malformed
  /// Sealed for another incarnation of a node.
  case otherEpoch
  /// The tag is wrong: forged, damaged, or sealed with other keys.
  case forged
  /// A datagram with its number was received before.
  case replayed
  /// Older than the window.
  case outdated
}

/// The receiving end of one direction: opens each datagram of records once, and measures the path. No call allocates.
struct LinkReceiver: ~Copyable {
  private let cipher: LinkCipher
  private let body: UnsafeMutableRawPointer
  private var window: ArrivalWindow
  private var queueing: QueueingDelay
  private var bytes = 0
  private var reportedAt: Instant
  private(set) var records: UInt64 = 0
  /// The last datagram whose arrival was reported, and when those so far were.
  private var reportedArrivals: UInt64
  private var arrivalsAt: Instant
  private var repairedBytes = 0
  /// Microseconds between reports of arrivals if there are many datagrams, and if there are few.
  private static let arrivalInterval: Int64 = 25_000
  private static let longArrivalInterval: Int64 = 100_000
  private static let manyArrivals: UInt64 = 8
  private static let arrivalsAtOnce = 512

  /// - Parameter number: the highest number received before.
  init(cipher: LinkCipher, capacity: Int, policy: ArrivalWindow.Policy, after number: UInt64, now: Instant) {
    self.cipher = cipher
    body = .allocate(byteCount: LinkDatagram.longest, alignment: 64)
    window = ArrivalWindow(capacity: capacity, policy: policy, after: number)
    queueing = QueueingDelay(now: now)
    reportedAt = now
    reportedArrivals = number
    arrivalsAt = now
  }

  deinit { body.deallocate() }

  /// Opens a datagram and passes its records to `deliver`, whose bytes are valid during the call.
  /// - Returns: nil if it was accepted. After `malformed`, the records before the malformed one are delivered.
  mutating func receive(
    _ datagram: UnsafeRawBufferPointer, _ header: LinkDatagram.Header, now: Instant,
    deliver: (LinkRecord, UnsafeRawBufferPointer) -> Void
  ) -> LinkRefusal? {
    let number = header.number
    guard !window.isOutside(number) else { return .outdated }
    guard !window.hasReceived(number) else { return .replayed }
    let sealed = datagram.part(LinkDatagram.headerBytes, datagram.count - LinkDatagram.overhead)
    guard
      cipher.open(
        sealed, clear: datagram.part(0, LinkDatagram.headerBytes), kind: header.kind.rawValue, number: number, into: body)
    else { return .forged }
    if number > window.highestReceived, sealed.count >= LinkDatagram.stampBytes {
      queueing.arrived(stamp: UnsafeRawPointer(body).load32(0), now: now)
    }
    window.receive(number, now: now)
    bytes &+= datagram.count
    if window.wasRequested(number) { repairedBytes &+= datagram.count + LinkDatagram.outerBytes }
    var rest = UnsafeRawBufferPointer(start: body, count: sealed.count).part(from: LinkDatagram.stampBytes)
    guard sealed.count >= LinkDatagram.stampBytes else { return .malformed }
    while !rest.isEmpty, !LinkRecord.isPadding(rest) {
      guard let (record, payload, count) = LinkRecord.read(rest, now: now) else { return .malformed }
      records &+= 1
      deliver(record, payload)
      rest = rest.part(from: count)
    }
    return nil
  }

  /// Records the newest number that the sender has sent.
  mutating func notice(upTo number: UInt64, now: Instant) { window.notice(upTo: number, now: now) }

  /// When `requests` has something to do.
  var deadline: Instant? { window.deadline }

  /// Passes each group of missing numbers to `write`, until it returns false.
  mutating func requests(now: Instant, roundTrip: Int64, room: Int, _ write: (ControlBlock) -> Void) {
    var first: UInt64 = 0
    var mask: UInt64 = 0
    var groups = 0
    window.requests(now: now, roundTrip: roundTrip) { number in
      if first != 0, number - first <= 64 {
        mask |= 1 << (number - first - 1)
        return true
      }
      guard groups < room else { return false }
      if first != 0 { write(.missing(first: first, mask: mask)) }
      groups += 1
      (first, mask) = (number, 0)
      return true
    }
    if first != 0 { write(.missing(first: first, mask: mask)) }
  }

  /// When the other node is to get the arrivals, if it understands them; nil if there are no new ones.
  var arrivalsDue: Instant? {
    let new = window.highestReceived &- reportedArrivals
    guard new > 0 else { return nil }
    return arrivalsAt.advanced(microseconds: new >= Self.manyArrivals ? Self.arrivalInterval : Self.longArrivalInterval)
  }

  /// Returns the arrivals since the last call, as many as fit in some bytes; nil if none does.
  mutating func takeArrivals(room: Int, now: Instant) -> ArrivalReport? {
    let highest = window.highestReceived
    let limit = (room - ArrivalReport.headBytes) / ArrivalReport.entryBytes
    guard reportedArrivals < highest, limit > 0 else { return nil }
    // What left the window is not known any more.
    let first = max(reportedArrivals + 1, window.oldest)
    guard first <= highest else { return nil }
    let last = min(highest, first + UInt64(min(limit, Self.arrivalsAtOnce)) - 1)
    var base = now
    for number in first...last { base = min(base, window.arrival(of: number) ?? now) }
    var report = ArrivalReport(first: first, base: base.stamp, entries: [])
    report.entries.reserveCapacity(Int(last - first) + 1)
    for number in first...last { report.append(window.arrival(of: number)) }
    report.repaired = UInt32(clamping: repairedBytes)
    repairedBytes = 0
    reportedArrivals = last
    if last == highest { arrivalsAt = now }
    return report
  }

  /// Returns the report since the last one.
  mutating func takeReport(now: Instant) -> LinkReport {
    let elapsed = max(1, now - reportedAt)
    let kbps = UInt32(clamping: Int64(bytes) &* 8_000 / elapsed)
    (bytes, reportedAt) = (0, now)
    return LinkReport(
      highest: window.highest, received: window.receivedTotal, missed: missed, lost: window.lostTotal, kbps: kbps,
      queueing: queueing.takeMean())
  }

  var highestReceived: UInt64 { window.highestReceived }
  var received: UInt64 { window.receivedTotal }
  var lost: UInt64 { window.lostTotal }
  /// Datagrams found missing, without those that arrived in order.
  var missed: UInt64 { window.missedTotal }
}
