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

  /// - Parameter number: the highest number received before.
  init(cipher: LinkCipher, capacity: Int, policy: ArrivalWindow.Policy, after number: UInt64, now: Instant) {
    self.cipher = cipher
    body = .allocate(byteCount: LinkDatagram.longest, alignment: 64)
    window = ArrivalWindow(capacity: capacity, policy: policy, after: number)
    queueing = QueueingDelay(now: now)
    reportedAt = now
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
    var rest = UnsafeRawBufferPointer(start: body, count: sealed.count).part(from: LinkDatagram.stampBytes)
    guard sealed.count >= LinkDatagram.stampBytes else { return .malformed }
    while !rest.isEmpty {
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
