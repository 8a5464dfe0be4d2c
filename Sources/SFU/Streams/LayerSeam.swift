import RoomRTP

/// Joins two layers of one picture in one stream: the timestamps go forward by the time between the captures of their frames.
enum LayerSeam {
  /// Most that the first frame's timestamp may be ahead of the time that passed, in microseconds.
  static let longestLead: Int64 = 50_000

  /// The end of what was sent, in outgoing timestamps.
  struct End {
    var timestamp: UInt32
    var at: Instant
    var clock: SenderClock
    /// Added to the timestamps of `clock`.
    var offset: UInt32
  }

  /// Returns the offset for the next layer's timestamps.
  /// - Parameters:
  ///   - first: The timestamp of the next layer's first frame.
  ///   - clock: The next layer's clock. If both layers had a report, captures are compared by it, otherwise arrivals.
  static func offset(after end: End, to first: UInt32, clock: SenderClock, now: Instant, clockRate: UInt32) -> UInt32 {
    func ticks(_ microseconds: Int64) -> Int64 { microseconds &* Int64(clockRate) / 1_000_000 }
    let elapsed = ticks(min(max(0, now - end.at), 86_400_000_000))
    let captured = end.clock.timestamp(of: first, on: clock, clockRate: clockRate)
      .map { Int64(Int32(bitPattern: $0 &+ end.offset &- end.timestamp)) }
    let step = min(max(1, captured ?? elapsed), elapsed + ticks(longestLead))
    return end.timestamp &+ UInt32(truncatingIfNeeded: step) &- first
  }
}

extension SenderClock {
  /// Returns the timestamp on this clock at which `other` has `timestamp`; nil unless both publishers' reports are known.
  func timestamp(of timestamp: UInt32, on other: SenderClock, clockRate: UInt32) -> UInt32? {
    guard let own = lastReport, let their = other.lastReport else { return nil }
    let between = Int64(bitPattern: their.ntp.rawValue &- own.ntp.rawValue)
    // NTP has 32 fractional bits; 16 of them are finer than any tick.
    let ticks = (between >> 16) &* Int64(clockRate) >> 16
    return own.rtp &+ UInt32(truncatingIfNeeded: ticks) &+ (timestamp &- their.rtp)
  }
}
