import RTP

/// One stream's RTP clock against wall time, from the publisher's sender reports; from arrivals where it sends none.
///
/// Reports to subscribers stay on the publisher's own line, so that its audio and its video keep the same relation to each other
/// whatever the network did to the reports.
struct SenderClock: BitwiseCopyable {
  private var reported = false
  private var ntp: UInt64 = 0
  private var rtp: UInt32 = 0
  private var at = Int64.min
  private var firstHeard = Int64.min

  /// Without a report of the publisher for so long, arrivals are the clock.
  static let patience: Int64 = 2_000_000

  /// The publisher's sender report; `rtpTimestamp` in the numbers that are forwarded.
  mutating func report(ntp: NTPTime, rtpTimestamp: UInt32, now: Instant) {
    reported = true
    self.ntp = ntp.rawValue
    rtp = rtpTimestamp
    at = now.microseconds
  }

  /// The stream's newest packet has this timestamp; `wallOffset` leads from the monotonic clock to the wall's.
  @inline(__always) mutating func heard(rtpTimestamp: UInt32, now: Instant, wallOffset: Int64) {
    guard !reported else { return }
    if firstHeard == .min { firstHeard = now.microseconds }
    rtp = rtpTimestamp
    at = now.microseconds
    ntp = NTPTime(unixMicroseconds: now.microseconds &+ wallOffset).rawValue
  }

  /// The publisher's latest report; nil where it sent none.
  var lastReport: (ntp: NTPTime, rtp: UInt32, at: Instant)? {
    reported ? (NTPTime(rawValue: ntp), rtp, Instant(microseconds: at)) : nil
  }

  /// What a sender report of this moment says; nil while nothing is known or the publisher's first report may still come.
  func moment(_ now: Instant, clockRate: UInt32) -> (ntp: NTPTime, rtp: UInt32)? {
    guard at != .min, reported || now.microseconds &- firstHeard >= Self.patience else { return nil }
    let elapsed = max(0, now.microseconds &- at)
    let fraction = UInt64(elapsed % 1_000_000) << 32 / 1_000_000
    let ticks = UInt64(elapsed) &* UInt64(clockRate) / 1_000_000
    return (
      NTPTime(rawValue: ntp &+ (UInt64(elapsed / 1_000_000) << 32) &+ fraction), rtp &+ UInt32(truncatingIfNeeded: ticks)
    )
  }
}
