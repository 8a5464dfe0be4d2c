import RoomRTP

/// The times of a device's blocks of 10 ms. The measured times vary with the device's interrupts and the threads; the clock
/// follows them slowly, so that the blocks are evenly spaced.
struct CaptureClock: Sendable {
  /// A larger difference is an interruption: 200 ms, in µs.
  private static let leap: Int64 = 200_000
  private var next: MediaTime?

  /// Returns the start of the next block.
  mutating func start(measured: MediaTime) -> MediaTime {
    var time = measured
    if let next, abs(measured - next) < Self.leap {
      time = next.advanced(microseconds: (measured - next) / 128)
    }
    next = time.advanced(microseconds: 10_000)
    return time
  }
}
