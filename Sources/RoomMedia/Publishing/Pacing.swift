import RoomRTP

/// Paces a feed in real time: each step waits for its own time on the clock, so that delays do not accumulate.
struct Pacing {
  /// If the feed is late by more than this, it continues from now: a machine that slept must not catch up in a burst.
  private static let patience = Duration.seconds(1)

  private let clock = ContinuousClock()
  private var origin: ContinuousClock.Instant

  init() { origin = .now }

  /// Waits until `time` of the feed.
  /// - Throws: `CancellationError`.
  mutating func wait(until time: MediaTime) async throws {
    let due = origin + .microseconds(time.microseconds)
    let now = clock.now
    if now - due > Self.patience {
      origin += now - due
    } else {
      try await clock.sleep(until: due, tolerance: .zero)
    }
  }
}
