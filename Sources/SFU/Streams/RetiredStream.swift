import RoomRTP

/// The end of an outgoing stream. If its SSRC is used again on the same transport, the sequence numbers continue from here,
/// because one index must never seal two packets. A stream that continues (`MediaRoom.subscribe`) also continues its timestamps
/// and counts.
struct RetiredStream {
  /// The last timestamp that the receiver may have seen, and when it was current.
  struct End {
    var timestamp: UInt32
    var at: Instant
    /// The last frame number of dependency descriptors.
    var frame: UInt16 = 0

    /// Returns the offset for another track's timestamps, so that they advance by the time that passed.
    /// - Parameters:
    ///   - first: The other track's first timestamp that is sent.
    ///   - now: Its arrival time.
    func offset(to first: UInt32, now: Instant, clockRate: UInt32) -> UInt32 {
      let elapsed = min(max(0, now - at), Self.longestPause)
      let ticks = UInt32(truncatingIfNeeded: elapsed &* Int64(clockRate) / 1_000_000)
      return timestamp &+ max(1, ticks) &- first
    }

    /// In microseconds. After a day without media, the timestamp has no significance any more.
    private static let longestPause: Int64 = 86_400_000_000
  }

  /// The next index.
  var next: Int64
  /// Nil for a repair stream, and if nothing was sent.
  var end: End?
  var packets: UInt64 = 0
  var bytes: UInt64 = 0
}
