import RoomRTP

/// The delay with which a receiver should show video, so that packets that the path loses arrive again in time.
///
/// A decoder waits for a lost packet, so without a delay each loss that needs a second request stops the picture. The delay grows
/// with the share of lost packets: enough for one, two or three requests.
struct PlayoutDelay {
  /// The loss from which video is delayed.
  static let leastLoss = 0.015
  /// The losses from which there is time for one, two and three requests.
  private static let levels = [(loss: leastLoss, requests: 1), (loss: 0.04, requests: 2), (loss: 0.12, requests: 3)]
  /// The time in ms until a loss shows: the next packet may be that of the next picture.
  private static let discovery = 100
  /// libwebrtc repeats a request after this many ms, unless it has measured a longer round trip. A receiver measures none.
  private static let repetition = 100
  private static let longest = 500
  private static let usualRoundTrip: Int64 = 100_000
  /// The time in microseconds with less loss before the delay gets shorter.
  private static let patience: Int64 = 10_000_000

  /// In milliseconds.
  private(set) var milliseconds = 0
  private var lowerSince: Instant?

  /// Returns whether the delay changed.
  /// - Parameters:
  ///   - loss: the share of lost packets, 0…1.
  ///   - roundTrip: in microseconds; nil if it is unknown.
  mutating func update(loss: Double, roundTrip: Int64?, now: Instant) -> Bool {
    let wanted = Self.delay(loss: loss, roundTrip: roundTrip ?? Self.usualRoundTrip)
    guard wanted < milliseconds else {
      lowerSince = nil
      // The round trip is never twice the same.
      guard wanted > milliseconds + milliseconds / 4 else { return false }
      milliseconds = wanted
      return true
    }
    let since = lowerSince ?? now
    lowerSince = since
    guard wanted < milliseconds * 3 / 4, now - since >= Self.patience else { return false }
    lowerSince = nil
    milliseconds = wanted
    return true
  }

  private static func delay(loss: Double, roundTrip: Int64) -> Int {
    guard let level = levels.last(where: { loss >= $0.loss }) else { return 0 }
    let milliseconds = Int(min(max(roundTrip, 0), 1_000_000) / 1000)
    return min(milliseconds + (level.requests - 1) * max(milliseconds, repetition) + discovery, longest)
  }
}
