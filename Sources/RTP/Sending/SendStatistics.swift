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

  private var lastTimestamp: UInt32 = 0
  private var lastTime = Instant(microseconds: 0)

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
    if packetCount == 1 || Int32(bitPattern: timestamp &- lastTimestamp) > 0 {
      lastTimestamp = timestamp
      lastTime = now
    }
  }

  /// Returns the information for a sender report; nil before the first packet.
  /// - Parameter ntpTime: now, on the clock that all streams of this sender share.
  public func report(now: Instant, ntpTime: NTPTime) -> SenderInformation? {
    guard packetCount > 0 else { return nil }
    let elapsed = max(0, min(now - lastTime, 3_600_000_000))
    let ticks = elapsed * Int64(clockRate) / 1_000_000
    return SenderInformation(
      ssrc: ssrc, ntpTime: ntpTime, rtpTimestamp: lastTimestamp &+ UInt32(truncatingIfNeeded: ticks),
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
