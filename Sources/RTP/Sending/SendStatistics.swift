/// The sender report fields of a stream (RFC 3550 §6.4.1), and the far end's report blocks about it. A trivial struct.
public struct SendStatistics: Sendable {
  /// The SSRC of the stream.
  public let ssrc: SSRC
  /// Ticks per second of the stream's RTP clock.
  public let clockRate: UInt32
  /// Packets sent.
  public private(set) var packetCount: UInt64 = 0
  /// Payload bytes sent.
  public private(set) var octetCount: UInt64 = 0
  /// The last report block that the far end sent about this stream.
  public private(set) var lastBlock: ReportBlock?
  /// The round-trip time in microseconds; nil until it is known.
  public private(set) var roundTrip: Int64?

  /// The frame that left with the least delay, in this stretch of time and in the one before. A sender that stalls sends single
  /// frames late; a report that followed from one of them would move sound and picture against each other.
  private var promptest: Departure?
  private var promptestBefore: Departure?
  private var newestTimestamp: UInt32?
  private var stretchBegan = Instant(microseconds: 0)

  /// The length of a stretch in microseconds. Clocks that differ by 100 ppm move by 1 ms in two of them.
  private static let stretch: Int64 = 5_000_000
  /// A frame that is later than this, in microseconds, is not delayed: the source paused, or is another one.
  private static let longestDelay: Int64 = 500_000

  /// When a frame left.
  private struct Departure {
    var timestamp: UInt32
    var time: Instant

    /// How many microseconds more than this frame another one was delayed.
    func delay(of other: Departure, clockRate: UInt32) -> Int64 {
      other.time - time - Int64(Int32(bitPattern: other.timestamp &- timestamp)) * 1_000_000 / Int64(clockRate)
    }
  }

  /// Creates the statistics of one stream.
  /// - Parameter clockRate: ticks per second; 0 is treated as 90,000.
  public init(ssrc: SSRC, clockRate: UInt32) {
    self.ssrc = ssrc
    self.clockRate = clockRate == 0 ? 90_000 : clockRate
  }

  /// Counts a sent packet. Packets resent on the same SSRC also count.
  public mutating func send(timestamp: UInt32, payloadLength: Int, now: Instant) {
    packetCount &+= 1
    octetCount &+= UInt64(max(0, payloadLength))
    // All packets of a frame have the same timestamp, so the first packet sets its time.
    if let newestTimestamp, Int32(bitPattern: timestamp &- newestTimestamp) <= 0 { return }
    newestTimestamp = timestamp
    let departure = Departure(timestamp: timestamp, time: now)
    guard let reference, reference.delay(of: departure, clockRate: clockRate) < Self.longestDelay else {
      (promptest, promptestBefore, stretchBegan) = (departure, nil, now)
      return
    }
    if now - stretchBegan >= Self.stretch {
      (promptestBefore, promptest, stretchBegan) = (promptest, departure, now)
    } else if let promptest, promptest.delay(of: departure, clockRate: clockRate) <= 0 {
      self.promptest = departure
    }
  }

  /// The frame that left with the least delay lately.
  private var reference: Departure? {
    guard let promptest, let promptestBefore else { return promptest }
    return promptest.delay(of: promptestBefore, clockRate: clockRate) < 0 ? promptestBefore : promptest
  }

  /// Returns the information for a sender report; nil before the first packet.
  /// - Parameter ntpTime: now, on the clock that all streams of this sender share.
  public func report(now: Instant, ntpTime: NTPTime) -> SenderInformation? {
    guard let reference else { return nil }
    let elapsed = max(0, min(now - reference.time, 3_600_000_000))
    let ticks = elapsed * Int64(clockRate) / 1_000_000
    return SenderInformation(
      ssrc: ssrc, ntpTime: ntpTime, rtpTimestamp: reference.timestamp &+ UInt32(truncatingIfNeeded: ticks),
      packetCount: UInt32(truncatingIfNeeded: packetCount), octetCount: UInt32(truncatingIfNeeded: octetCount))
  }

  /// Processes the far end's report block about this stream; ignores blocks about other streams.
  /// - Parameter ntpTime: now, on the clock of this sender's reports.
  public mutating func receive(_ block: ReportBlock, ntpTime: NTPTime) {
    guard block.ssrc == ssrc else { return }
    lastBlock = block
    if let time = RoundTripTime.microseconds(of: block, now: ntpTime) { roundTrip = time }
  }
}
