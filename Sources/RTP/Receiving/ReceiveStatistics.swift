/// The receiver report fields of a stream (RFC 3550 §6.4.1, §A.3, §A.8), updated per packet. A trivial struct.
public struct ReceiveStatistics: Sendable {
  /// Ticks per second of the stream's RTP clock.
  public let clockRate: UInt32
  /// Packets received, including duplicates.
  public private(set) var packetCount: UInt64 = 0
  /// Payload bytes received.
  public private(set) var byteCount: UInt64 = 0

  private var unwrapper = SequenceUnwrapper()
  private var base: Int64 = 0
  private var baseCount: UInt64 = 0
  private var expectedBefore: Int64 = 0
  private var receivedBefore: Int64 = 0
  private var strays = 0
  private var transit: Int64 = 0
  private var hasTransit = false
  /// Interarrival jitter in sixteenths of a tick, as in §A.8.
  private var jitter16: Int64 = 0
  private var reportTime: NTPTime?
  private var reportArrival = Instant(microseconds: 0)

  /// Creates the statistics of one stream.
  /// - Parameter clockRate: ticks per second; 0 is treated as 90,000.
  public init(clockRate: UInt32) { self.clockRate = clockRate == 0 ? 90_000 : clockRate }

  /// The highest sequence number with its wraps; 0 before the first packet.
  public var extendedHighest: UInt32 { UInt32(truncatingIfNeeded: unwrapper.highest ?? 0) }
  /// Interarrival jitter in ticks.
  public var jitter: UInt32 { UInt32(truncatingIfNeeded: jitter16 >> 4) }
  /// Interarrival jitter in microseconds.
  public var jitterMicroseconds: Int64 { (jitter16 * 1_000_000 / Int64(clockRate)) >> 4 }
  /// Packets expected since the start: from the first to the highest.
  public var expected: Int64 { unwrapper.highest.map { $0 - base + 1 } ?? 0 }
  /// Packets lost since the start; negative if there are more duplicates than losses.
  public var lost: Int64 { expected - Int64(packetCount - baseCount) }

  /// Counts a received or repaired packet of the stream.
  public mutating func receive(sequenceNumber: UInt16, timestamp: UInt32, payloadLength: Int, now: Instant) {
    guard let highest = unwrapper.highest else {
      base = unwrapper.unwrap(sequenceNumber)
      count(timestamp, payloadLength, now)
      return
    }
    let distance = unwrapper.peek(sequenceNumber) - highest
    if distance >= 3000 || distance < -3000 {
      // If more such packets follow, the sender restarted; otherwise this is a stray (RFC 3550 §A.1).
      strays += 1
      guard strays > 2 else { return }
      unwrapper.reset()
      base = unwrapper.unwrap(sequenceNumber)
      baseCount = packetCount
      expectedBefore = 0
      receivedBefore = 0
      hasTransit = false
    } else {
      _ = unwrapper.unwrap(sequenceNumber)
      base = min(base, highest + distance)
    }
    strays = 0
    count(timestamp, payloadLength, now)
  }

  private mutating func count(_ timestamp: UInt32, _ payloadLength: Int, _ now: Instant) {
    packetCount &+= 1
    byteCount &+= UInt64(max(0, payloadLength))
    // Seconds and the remainder are computed separately, so that no product overflows however long the clock has run.
    let time = now.microseconds
    let rate = Int64(clockRate)
    let arrival = (time / 1_000_000) &* rate &+ (time % 1_000_000) &* rate / 1_000_000
    let current = arrival &- Int64(timestamp)
    if hasTransit {
      // Timestamps wrap, so the difference is computed modulo 2³².
      let difference = abs(Int64(Int32(truncatingIfNeeded: current &- transit)))
      // A new timeline is not jitter.
      if difference < 30 * rate { jitter16 += difference - ((jitter16 + 8) >> 4) }
    }
    transit = current
    hasTransit = true
  }

  /// Stores the far end's sender report for LSR and DLSR.
  public mutating func receive(_ report: SenderInformation, now: Instant) {
    reportTime = report.ntpTime
    reportArrival = now
  }

  /// Returns the block for the next report; its fraction covers the time since the previous block.
  public mutating func reportBlock(ssrc: SSRC, now: Instant) -> ReportBlock {
    let received = Int64(packetCount - baseCount)
    let expectedNow = expected - expectedBefore
    let lostNow = expectedNow - (received - receivedBefore)
    expectedBefore = expected
    receivedBefore = received
    var block = ReportBlock(ssrc: ssrc)
    if expectedNow > 0, lostNow > 0 { block.fractionLost = UInt8(truncatingIfNeeded: min(255, (lostNow << 8) / expectedNow)) }
    block.cumulativeLost = Int32(truncatingIfNeeded: max(-0x80_0000, min(0x7f_ffff, lost)))
    block.highestSequence = extendedHighest
    block.jitter = jitter
    if let reportTime {
      block.lastSenderReport = reportTime.compact
      let delay = max(0, min(now - reportArrival, 65_535_000_000))
      block.delaySinceLastSenderReport = UInt32(truncatingIfNeeded: (delay << 16) / 1_000_000)
    }
    return block
  }
}
