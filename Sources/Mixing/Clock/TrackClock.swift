import RoomRTP

/// Maps a track's RTP timestamps to the server's media clock, which is common to all tracks of all participants.
///
/// - With sender reports, a frame's media time is its capture time plus the minimum transit time of the reports. Audio and
///   video of one participant stay in sync whatever their encoders and queues do.
/// - Without reports, it is the arrival of the fastest packets.
/// - Once known, the mapping moves by at most 2 ms per second, which is inaudible. A report that differs greatly counts only
///   when the next report or the packets confirm it. A report that would place frames far in the past or future is ignored.
/// - A track whose packets are all too late for a while is shifted as a whole, because otherwise it would never be played. Its
///   reports are wrong or rare, or its path has a standing queue.
public struct TrackClock: Sendable {
  /// The plausible range of a frame's media time relative to its arrival, in µs.
  private static let plausible: ClosedRange<Int64> = -5_000_000...500_000
  /// A report that differs by more must be confirmed, in µs.
  private static let suspicious: Int64 = 150_000
  /// How far a report may place packets before their creation and still be confirmed by them, in µs.
  private static let tolerance: Int64 = 150_000
  /// The maximum delay of the fastest recent packet for which the track is not shifted, in µs. Consumers wait up to 400 ms
  /// (``PlayoutDelay``).
  private static let hopeless: Int64 = 280_000
  /// The delay of the fastest recent packet after the shift, in µs.
  private static let moved: Int64 = 60_000

  /// The RTP clock rate in Hz.
  public let rate: Int64
  /// Whether the mapping comes from sender reports.
  public private(set) var isReported = false

  private var unwrapper = TimestampUnwrapper()
  private var fastest = SlidingMinimum(window: 20_000_000)
  private var lately = SlidingMinimum(window: 2_000_000, buckets: 8)
  private var offset = SlewedOffset(rate: 2000)
  /// The shift of the track in µs.
  private var shift: Int64 = 0
  private var suspect: Int64?
  private var newestArrival: (ticks: Int64, at: Instant)?

  /// - Parameter rate: The RTP clock rate in Hz; 0 means 90,000.
  public init(rate: UInt32) { self.rate = rate == 0 ? 90_000 : Int64(rate) }

  /// Processes the arrival of a packet with this timestamp.
  public mutating func receivePacket(_ timestamp: UInt32, arrival: Instant) {
    let ticks = unwrapper.unwrap(timestamp)
    let raw = arrival.mediaTime - senderTime(of: ticks)
    if let known = offset.value, !Self.plausible.contains(known &- raw) {
      // The sender's timestamps jumped or paused: previous measurements are invalid.
      forget()
    }
    newestArrival = (ticks, arrival)
    fastest.insert(raw, at: arrival)
    lately.insert(raw, at: arrival)
    defer { move() }
    guard !isReported, let target = fastest.value else { return }
    if let known = offset.value, target >= known {
      offset.approach(target, at: arrival)
    } else {
      offset.set(target, at: arrival)
    }
  }

  /// Processes a sender report: `timestamp` corresponds to `ntp` on the participant's clock, which must already have processed
  /// the report.
  public mutating func report(_ timestamp: UInt32, at ntp: NTPTime, on clock: ParticipantClock, now: Instant) {
    guard let time = clock.mediaTime(of: ntp) else { return }
    defer { move() }
    let ticks = unwrapper.peek(timestamp)
    let target = time - senderTime(of: ticks)
    if let newest = newestArrival {
      let raw = newest.at.mediaTime - senderTime(of: newest.ticks)
      guard Self.plausible.contains(target &- raw) else { return }
    }
    guard isReported, let known = offset.value else {
      isReported = true
      return offset.set(target, at: now)
    }
    guard abs(target &- known) > Self.suspicious else {
      suspect = nil
      return offset.approach(target, at: now)
    }
    if isConfirmed(target, over: known) || suspect.map({ abs(target &- $0) < Self.suspicious / 3 }) == true {
      suspect = nil
      offset.set(target, at: now)
    } else {
      suspect = target
    }
  }

  /// Returns the media time of the frame with this timestamp; nil before the first packet.
  public func mediaTime(of timestamp: UInt32) -> MediaTime? {
    offset.value.map { senderTime(of: unwrapper.peek(timestamp)).advanced(microseconds: $0 &+ shift) }
  }

  private mutating func move() {
    guard let known = offset.value, let least = lately.value else { return }
    let delay = least &- known
    if delay &- shift > Self.hopeless || (shift > 0 && delay < shift) { shift = max(0, delay &- Self.moved) }
  }

  /// Returns whether the recent packets were as late as the report states because the sender's media clock fell behind. That
  /// happens to a microphone that loses samples: every report then deviates more than the previous one.
  private func isConfirmed(_ target: Int64, over known: Int64) -> Bool {
    guard let least = lately.value else { return false }
    return target > known && target &- least <= Self.tolerance
  }

  private mutating func forget() {
    var anew = TrackClock(rate: UInt32(truncatingIfNeeded: rate))
    anew.unwrapper = unwrapper
    self = anew
  }

  /// Returns the time on the sender's own timeline.
  private func senderTime(of ticks: Int64) -> MediaTime { MediaTime(ticks: ticks, rate: rate) }
}
