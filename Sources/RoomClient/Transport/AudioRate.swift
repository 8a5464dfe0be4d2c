import RoomRTP

/// Measures the bitrate of sent audio, which video must leave free.
struct AudioRate {
  /// The bitrate in bits per second of a track that has sent for less than a second.
  static let assumed = 64_000
  /// The bytes that a packet has besides its payload: header, extensions and tag.
  static let overhead = 50
  /// The rate is the highest of this many seconds, because speech has pauses.
  private static let memory = 5
  private static let second: Int64 = 1_000_000

  private struct Meter {
    var began: Instant
    var bytes = 0
    /// The bitrates of the last seconds.
    var rates: [Int] = []
  }

  private var meters: [Mid: Meter] = [:]

  /// Records a packet with this many bytes of payload.
  mutating func sent(_ bytes: Int, mid: Mid, now: Instant) {
    var meter = meters[mid] ?? Meter(began: now)
    let elapsed = now - meter.began
    if elapsed >= Self.second {
      // After a pause the measured time is longer than a second, and the rate is that before the pause.
      if elapsed < 2 * Self.second {
        if meter.rates.count == Self.memory { meter.rates.removeFirst() }
        meter.rates.append(Int(Int64(meter.bytes) * 8 * Self.second / elapsed))
      }
      meter.began = now
      meter.bytes = 0
    }
    meter.bytes += bytes + Self.overhead
    meters[mid] = meter
  }

  /// Returns the bitrate in bits per second that these tracks need together.
  func bitrate(of mids: some Sequence<Mid>) -> Int {
    mids.reduce(0) { $0 + (meters[$1]?.rates.max() ?? Self.assumed) }
  }
}
