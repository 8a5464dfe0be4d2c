import RoomRTP

/// How many bytes may be unacknowledged, so that a slow path queues little and loses nothing: SRT itself sends as fast as it
/// is given data.
///
/// The window is what the path delivers in its shortest round trip and 50 ms. What exceeds it waits in the sender's own queue,
/// which drops video before audio. A path whose rate falls to a fifth therefore has 0.4 s of media to deliver, and a router's
/// queue of 0.5 s loses none of it. On a path that loses packets at random, the window is three times as large.
struct SendWindow: Sendable {
  /// In bytes.
  static let least = 4 * 1316
  static let most = 2 << 20
  /// The queue in microseconds that the window permits on the path. Acknowledgements come each 10 ms, and the sender looks as often.
  private static let slack: Int64 = 50_000
  /// A round trip that is longer than the shortest one by this, in microseconds, shows a queue on the path.
  private static let queueing: Int64 = 100_000
  /// The interval of samples in microseconds, and the number of samples of the path and of the round trip.
  private static let interval: Int64 = 200_000
  private static let samples = 10
  private static let roundTripSamples = 50
  /// This many samples with repeated packets show random losses.
  private static let lossySamples = 2
  /// The first samples do not make the window smaller, unless there is a queue: the losses of the path are not known yet.
  private static let firstSamples = 5

  private struct Sample: Sendable {
    /// The duration in microseconds.
    var elapsed: Int64
    var acknowledged: Int64
    var hasRepeats: Bool
  }

  /// The window in bytes.
  private(set) var limit = 32 << 10
  private var first = Self.firstSamples
  private var path: [Sample] = []
  private var roundTrips: [Int64] = []
  private var last: (acknowledged: Int64, repeated: Int, at: Instant)?

  /// Reports the connection's state.
  /// - Parameters:
  ///   - acknowledged: all bytes so far that the receiver has acknowledged.
  ///   - repeated: all packets so far that were sent again.
  ///   - roundTrip: in microseconds.
  mutating func update(acknowledged: Int64, repeated: Int, roundTrip: Int64, now: Instant) {
    guard let last else {
      self.last = (acknowledged, repeated, now)
      return
    }
    let elapsed = now - last.at
    guard elapsed >= Self.interval else { return }
    self.last = (acknowledged, repeated, now)
    roundTrips.append(min(max(roundTrip, 0), 2_000_000))
    if roundTrips.count > Self.roundTripSamples { roundTrips.removeFirst() }
    let shortest = roundTrips.min() ?? 0
    // A path with a queue delivers what it can: faster samples are from before it slowed down, and its losses are the queue's.
    if roundTrip > shortest + Self.queueing {
      path.removeAll()
      first = 0
    }
    path.append(
      Sample(
        elapsed: elapsed, acknowledged: min(max(0, acknowledged - last.acknowledged), 1 << 32),
        hasRepeats: repeated > last.repeated))
    if path.count > Self.samples { path.removeFirst() }
    // Nothing behind a lost packet is acknowledged until it has been sent again.
    let isLossy = path.count(where: \.hasRepeats) >= Self.lossySamples
    let time = (shortest + Self.slack) * (isLossy ? 3 : 1)
    limit = min(max(Int(rate * time / 1_000_000), first > 0 ? limit : Self.least), Self.most)
    if first > 0 { first -= 1 }
  }

  /// The most bytes per second that two samples in a row delivered: one alone may contain what the one before it was late with.
  private var rate: Int64 {
    guard path.count > 1 else { return path.first.map { $0.acknowledged * 1_000_000 / $0.elapsed } ?? 0 }
    return zip(path, path.dropFirst()).map { ($0.acknowledged + $1.acknowledged) * 1_000_000 / ($0.elapsed + $1.elapsed) }.max()
      ?? 0
  }
}
