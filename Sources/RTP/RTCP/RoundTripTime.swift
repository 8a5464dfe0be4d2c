/// The round-trip time according to a report block (RFC 3550 §6.4.1): now − LSR − DLSR.
public enum RoundTripTime {
  /// Returns the round-trip time in microseconds; nil if the far end has not received a sender report or the values are
  /// implausible.
  /// - Parameter now: the clock that wrote the sender reports.
  @inlinable public static func microseconds(of block: ReportBlock, now: NTPTime) -> Int64? {
    guard block.lastSenderReport != 0 else { return nil }
    let ticks = now.compact &- block.lastSenderReport &- block.delaySinceLastSenderReport
    // Rounding can make the value slightly negative: the round trip is then too short to measure.
    let signed = Int64(Int32(bitPattern: ticks))
    guard signed > -655 else { return nil }
    let time = (max(0, signed) * 1_000_000) >> 16
    return time < 60_000_000 ? time : nil
  }
}
