import RoomRTP

/// Maps a participant's own clock, which its sender reports use (RFC 3550 §6.4.1), to the server's media clock.
///
/// The offset is that of the fastest report of the last minute, because reports delayed in a queue are not useful. The clock
/// follows drift of up to 1000 ppm, and follows a jump of the participant's clock at once.
public struct ParticipantClock: Sendable {
  /// A difference that no queue explains: the clock was set.
  private static let leap: Int64 = 2_000_000

  private var fastest: SlidingMinimum
  private var offset: SlewedOffset

  /// Creates a clock without any reports.
  public init() {
    fastest = SlidingMinimum(window: 60_000_000)
    offset = SlewedOffset(rate: 1000)
  }

  /// Processes a report made at `ntp` that arrived at `now`.
  public mutating func receiveReport(_ ntp: NTPTime, now: Instant) {
    let distance = now.microseconds &- ntp.microseconds
    if let known = offset.value, abs(distance &- known) > Self.leap {
      self = ParticipantClock()
    }
    fastest.insert(distance, at: now)
    guard let target = fastest.value else { return }
    // The first seconds find the fastest report; after that the offset moves only at the drift rate.
    if let known = offset.value, target < known, known - target > 5_000 {
      offset.set(target, at: now)
    } else {
      offset.approach(target, at: now)
    }
  }

  /// Returns the media time of a moment on the participant's clock; nil before the first report.
  public func mediaTime(of ntp: NTPTime) -> MediaTime? {
    offset.value.map { MediaTime(microseconds: ntp.microseconds &+ $0) }
  }
}
