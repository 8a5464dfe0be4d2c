import RTP

/// Where a participant's own clock, by which its sender reports are made (RFC 3550 §6.4.1), stands against the media clock of the
/// server.
///
/// The offset is that of the fastest report of the last minute: reports that waited in a queue say nothing. It follows drift of up
/// to 1000 ppm and takes a leap of the participant's clock at once.
public struct ParticipantClock: Sendable {
  /// A distance that no queue explains: the clock was set.
  private static let leap: Int64 = 2_000_000

  private var fastest: SlidingMinimum
  private var offset: SlewedOffset

  /// A clock of which nothing is known.
  public init() {
    fastest = SlidingMinimum(window: 60_000_000)
    offset = SlewedOffset(rate: 1000)
  }

  /// A report made at `ntp` came at `now`.
  public mutating func heard(_ ntp: NTPTime, now: Instant) {
    let distance = now.microseconds &- ntp.microseconds
    if let known = offset.value, abs(distance &- known) > Self.leap {
      self = ParticipantClock()
    }
    fastest.insert(distance, at: now)
    guard let target = fastest.value else { return }
    // The first seconds find the fastest report; from then on it moves by drift alone.
    if let known = offset.value, target < known, known - target > 5_000 {
      offset.set(target, at: now)
    } else {
      offset.approach(target, at: now)
    }
  }

  /// The media time of a moment on the participant's clock; nil before the first report.
  public func mediaTime(of ntp: NTPTime) -> MediaTime? {
    offset.value.map { MediaTime(microseconds: ntp.microseconds &+ $0) }
  }
}
