import RTP

/// Where an outgoing stream stopped. When its SSRC is used again on the same transport, the numbers go on from here: one index never
/// seals two packets. A stream that continues (`MediaRoom.subscribe`) takes its timestamps and its counts up again too.
struct RetiredStream {
  /// The last timestamp that the receiver may have seen, and when it was the newest.
  struct End {
    var timestamp: UInt32
    var at: Instant

    /// What to add to another track's timestamps, so that they go on by the time that passed.
    /// - Parameters:
    ///   - first: the other track's timestamp that is sent first.
    ///   - now: when it came.
    func offset(to first: UInt32, now: Instant, clockRate: UInt32) -> UInt32 {
      let elapsed = min(max(0, now - at), Self.longestPause)
      let ticks = UInt32(truncatingIfNeeded: elapsed &* Int64(clockRate) / 1_000_000)
      return timestamp &+ max(1, ticks) &- first
    }

    /// Microseconds; after a day without media the timestamp says nothing any more.
    private static let longestPause: Int64 = 86_400_000_000
  }

  /// The next index.
  var next: Int64
  /// Nil for a repair stream, and where nothing was sent.
  var end: End?
  var packets: UInt64 = 0
  var bytes: UInt64 = 0
}
