import RoomRTP

/// The numbers, acknowledgements and round-trip times of control datagrams.
///
/// Control datagrams carry state, so one that arrives after a newer one is refused; its content is repeated because it is not
/// acknowledged.
struct ControlChannel {
  private(set) var sent: UInt64 = 0
  /// The newest received, and which of the 64 before it.
  private var received: UInt64 = 0
  private var receivedBefore: UInt64 = 0
  private var stamp: UInt32 = 0
  private var receivedAt = Instant(microseconds: 0)
  /// The smoothed round-trip time in microseconds.
  private(set) var measuredRoundTrip: Int64?

  private static let longestRoundTrip: Int64 = 10_000_000

  var roundTrip: Int64 { measuredRoundTrip ?? LinkOptions.assumedRoundTrip }

  /// Whether a control datagram with this number is newer than all others.
  func isNew(_ number: UInt64) -> Bool { number > received }

  /// Returns the number and the head of the next control datagram.
  mutating func next(highestSent: UInt64, now: Instant) -> (number: UInt64, head: ControlHead) {
    sent += 1
    let delay = received == 0 ? 0 : UInt32(clamping: now - receivedAt)
    return (
      sent,
      ControlHead(
        sentAt: now.stamp, echo: stamp, echoDelay: delay, acknowledged: received, acknowledgedBefore: receivedBefore,
        highestSent: highestSent)
    )
  }

  /// Records an authentic control datagram that is new.
  mutating func receive(_ number: UInt64, _ head: ControlHead, now: Instant) {
    let step = number - received
    receivedBefore = step > 64 ? 0 : (step == 64 ? 0 : receivedBefore << step) | 1 << (step - 1)
    if received == 0 { receivedBefore = 0 }
    received = number
    stamp = head.sentAt
    receivedAt = now
    guard head.acknowledged != 0 else { return }
    let time = Int64(Int32(bitPattern: now.stamp &- head.echo &- head.echoDelay))
    guard (0..<Self.longestRoundTrip).contains(time) else { return }
    measuredRoundTrip = measuredRoundTrip.map { $0 + (time - $0) / 8 } ?? time
  }
}
