import RoomRTP

/// How many bytes may be unacknowledged, so that a slow path queues little and loses nothing: SRT itself sends as fast as it
/// is given data.
///
/// The window is what the path delivers in a round trip and 150 ms. What exceeds it waits in the sender's own queue, which drops
/// video before audio.
struct SendWindow: Sendable {
  /// In bytes.
  static let least = 8 * 1316
  static let most = 2 << 20
  /// The queue in microseconds that the window permits on the path.
  private static let slack: Int64 = 150_000
  /// The interval of rate samples in microseconds, and their number.
  private static let interval: Int64 = 200_000
  private static let samples = 10

  /// The window in bytes.
  private(set) var limit = 64 << 10
  private var rates: [Int64] = []
  private var last: (acknowledged: Int64, at: Instant)?
  private var roundTrips: [Int64] = []

  /// Reports the connection's state.
  /// - Parameters:
  ///   - acknowledged: all bytes so far that the receiver has acknowledged.
  ///   - roundTrip: in microseconds.
  mutating func update(acknowledged: Int64, roundTrip: Int64, now: Instant) {
    guard let last else {
      self.last = (acknowledged, now)
      return
    }
    let elapsed = now - last.at
    guard elapsed >= Self.interval else { return }
    self.last = (acknowledged, now)
    rates.append(max(0, acknowledged - last.acknowledged) * 1_000_000 / elapsed)
    roundTrips.append(min(max(roundTrip, 0), 2_000_000))
    if rates.count > Self.samples { rates.removeFirst() }
    if roundTrips.count > Self.samples * 5 { roundTrips.removeFirst() }
    let time = (roundTrips.min() ?? 0) + Self.slack
    let bytes = min(rates.max() ?? 0, 1 << 32) * time / 1_000_000
    limit = min(max(Int(bytes), Self.least), Self.most)
  }
}
