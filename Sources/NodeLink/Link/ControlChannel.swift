import RoomRTP

/// The numbers, acknowledgements and round-trip times of control datagrams.
///
/// Control datagrams carry state, so one that arrives after a newer one is refused; its content is repeated because it is not
/// acknowledged.
struct ControlChannel {
  private(set) var sent: UInt64
  private let first: UInt64
  /// The newest received, and which of the 64 before it.
  private(set) var received: UInt64
  private var receivedBefore: UInt64 = 0
  private var stamp: UInt32 = 0
  private var receivedAt = Instant(microseconds: 0)
  /// The smoothed round-trip time in microseconds.
  private(set) var measuredRoundTrip: Int64?

  /// The first number of the other node's end; 0 before its first datagram.
  private var remoteFirst: UInt64 = 0

  init(sent: UInt64, received: UInt64) {
    self.sent = sent
    self.received = received
    first = sent + 1
  }

  private static let longestRoundTrip: Int64 = 10_000_000

  var roundTrip: Int64 { measuredRoundTrip ?? LinkOptions.assumedRoundTrip }

  /// Whether a control datagram with this number is newer than all others.
  func isNew(_ number: UInt64) -> Bool { number > received }

  /// Returns the number and the head of the next control datagram.
  mutating func next(highestSent: UInt64, now: Instant) -> (number: UInt64, head: ControlHead) {
    sent += 1
    let delay = remoteFirst == 0 ? 0 : UInt32(clamping: now - receivedAt)
    return (
      sent,
      ControlHead(
        sentAt: now.stamp, echo: stamp, echoDelay: delay, acknowledged: remoteFirst == 0 ? 0 : received,
        acknowledgedBefore: receivedBefore, highestSent: highestSent, first: first)
    )
  }

  /// Records an authentic control datagram that is new.
  /// - Returns: whether the other node has opened the link anew since the one before, and so forgotten all states.
  mutating func receive(_ number: UInt64, _ head: ControlHead, now: Instant) -> Bool {
    let isAnew = remoteFirst != 0 && max(1, head.first) != remoteFirst
    let step = number - received
    receivedBefore = step > 64 ? 0 : (step == 64 ? 0 : receivedBefore << step) | 1 << (step - 1)
    if remoteFirst == 0 || isAnew { receivedBefore = 0 }
    remoteFirst = max(1, head.first)
    received = number
    stamp = head.sentAt
    receivedAt = now
    // What it acknowledges from before this end was opened was not measured by this end.
    guard head.acknowledged >= first else { return isAnew }
    let time = Int64(Int32(bitPattern: now.stamp &- head.echo &- head.echoDelay))
    guard (0..<Self.longestRoundTrip).contains(time) else { return isAnew }
    measuredRoundTrip = measuredRoundTrip.map { $0 + (time - $0) / 8 } ?? time
    return isAnew
  }
}
