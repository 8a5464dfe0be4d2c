import RoomRTP

/// Maps one stream's RTP clock to wall-clock time: from the publisher's sender reports, or from arrival times if it sends none.
///
/// Reports to subscribers use the publisher's own mapping, so that its audio and video stay in sync, whatever delays the network
/// adds to the reports.
struct SenderClock: BitwiseCopyable {
  private var reported = false
  private var ntp: UInt64 = 0
  private var rtp: UInt32 = 0
  private var at = Int64.min
  private var firstArrival = Int64.min

  /// Time without a report from the publisher after which arrival times are used, in microseconds.
  static let patience: Int64 = 2_000_000

  /// Records the publisher's sender report; `rtpTimestamp` is in the forwarded timestamps.
  mutating func report(ntp: NTPTime, rtpTimestamp: UInt32, now: Instant) {
    reported = true
    self.ntp = ntp.rawValue
    rtp = rtpTimestamp
    at = now.microseconds
  }

  /// Records the timestamp of the stream's newest packet; `wallOffset` converts the monotonic clock to wall-clock time.
  @inline(__always) mutating func packetArrived(rtpTimestamp: UInt32, now: Instant, wallOffset: Int64) {
    guard !reported else { return }
    if firstArrival == .min { firstArrival = now.microseconds }
    rtp = rtpTimestamp
    at = now.microseconds
    ntp = NTPTime(unixMicroseconds: now.microseconds &+ wallOffset).rawValue
  }

  /// The publisher's latest report; nil if it sent none.
  var lastReport: (ntp: NTPTime, rtp: UInt32, at: Instant)? {
    reported ? (NTPTime(rawValue: ntp), rtp, Instant(microseconds: at)) : nil
  }

  /// Returns the times for a sender report now; nil while none are known or the publisher's first report may still arrive.
  func moment(_ now: Instant, clockRate: UInt32) -> (ntp: NTPTime, rtp: UInt32)? {
    guard at != .min, reported || now.microseconds &- firstArrival >= Self.patience else { return nil }
    let elapsed = max(0, now.microseconds &- at)
    let fraction = UInt64(elapsed % 1_000_000) << 32 / 1_000_000
    let ticks = UInt64(elapsed) &* UInt64(clockRate) / 1_000_000
    return (
      NTPTime(rawValue: ntp &+ (UInt64(elapsed / 1_000_000) << 32) &+ fraction), rtp &+ UInt32(truncatingIfNeeded: ticks)
    )
  }
}
