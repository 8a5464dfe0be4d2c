/// The round trip as a report block tells it (RFC 3550 §6.4.1): now − LSR − DLSR.
public enum RoundTripTime {
  /// In microseconds; nil where the far end has had no sender report yet or the figures cannot be.
  /// - Parameter now: the clock that wrote the sender reports.
  @inlinable public static func microseconds(of block: ReportBlock, now: NTPTime) -> Int64? {
    guard block.lastSenderReport != 0 else { return nil }
    let ticks = now.compact &- block.lastSenderReport &- block.delaySinceLastSenderReport
    // Rounding can make it slightly negative: then the far end is as near as can be measured.
    let signed = Int64(Int32(bitPattern: ticks))
    guard signed > -655 else { return nil }
    let time = (max(0, signed) * 1_000_000) >> 16
    return time < 60_000_000 ? time : nil
  }
}
