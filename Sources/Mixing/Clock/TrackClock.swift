import RTP

/// Maps a track's RTP timestamps to the media clock of the server, on which all tracks of all participants meet.
///
/// - With sender reports a frame's media time is when it was captured, plus the least time that reports took to come: audio and
///   video of one participant stay together whatever their encoders and queues do.
/// - Without them it is the arrival of the fastest packets.
/// - It moves by at most 2 ms a second once it is known, so that no listener hears it; a report that says something else altogether
///   counts when the next one agrees with it, or the packets do; one that would put frames far into past or future never does.
/// - A track of which everything comes too late by that, for a while, is moved as a whole instead of never being heard: its reports are
///   wrong or rare, or a queue stands on its way.
public struct TrackClock: Sendable {
  /// How far a frame's media time may lie before and after its arrival, in microseconds.
  private static let plausible: ClosedRange<Int64> = -5_000_000...500_000
  /// A report that differs by more has to be confirmed, in microseconds.
  private static let suspicious: Int64 = 150_000
  /// By how much packets may seem to come before they were made, by a report that they confirm, in microseconds.
  private static let tolerance: Int64 = 150_000
  /// Of the packets of the last while, in which there is no need to move the track, the fastest's delay in microseconds: who shows and
  /// plays it waits up to 400 ms (``PlayoutDelay``).
  private static let hopeless: Int64 = 280_000
  /// And after the move.
  private static let moved: Int64 = 60_000

  /// Ticks of the RTP clock a second.
  public let rate: Int64
  /// Whether sender reports give the mapping.
  public private(set) var isReported = false

  private var unwrapper = TimestampUnwrapper()
  private var fastest = SlidingMinimum(window: 20_000_000)
  private var lately = SlidingMinimum(window: 2_000_000, buckets: 8)
  private var offset = SlewedOffset(rate: 2000)
  /// Microseconds by which the track is moved.
  private var shift: Int64 = 0
  private var suspect: Int64?
  private var newestArrival: (ticks: Int64, at: Instant)?

  /// - Parameter rate: ticks of the RTP clock a second; 90,000 where 0.
  public init(rate: UInt32) { self.rate = rate == 0 ? 90_000 : Int64(rate) }

  /// A packet with this timestamp came.
  public mutating func heard(_ timestamp: UInt32, arrival: Instant) {
    let ticks = unwrapper.unwrap(timestamp)
    let raw = arrival.mediaTime - senderTime(of: ticks)
    if let known = offset.value, !Self.plausible.contains(known &- raw) {
      // The sender's timestamps leapt, or it paused them: nothing learnt before holds any more.
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

  /// A sender report: `timestamp` was at `ntp` on the participant's clock, which has heard of the report already.
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

  /// When the frame with this timestamp is to be seen or heard; nil before the first packet.
  public func mediaTime(of timestamp: UInt32) -> MediaTime? {
    offset.value.map { senderTime(of: unwrapper.peek(timestamp)).advanced(microseconds: $0 &+ shift) }
  }

  private mutating func move() {
    guard let known = offset.value, let least = lately.value else { return }
    let delay = least &- known
    if delay &- shift > Self.hopeless || (shift > 0 && delay < shift) { shift = max(0, delay &- Self.moved) }
  }

  /// Whether the packets of the last while came as late as they did because the sender's media clock fell behind, as that of a
  /// microphone does from which samples are lost: every report is then further away than the one before.
  private func isConfirmed(_ target: Int64, over known: Int64) -> Bool {
    guard let least = lately.value else { return false }
    return target > known && target &- least <= Self.tolerance
  }

  private mutating func forget() {
    var anew = TrackClock(rate: UInt32(truncatingIfNeeded: rate))
    anew.unwrapper = unwrapper
    self = anew
  }

  /// When it was, on the sender's own timeline.
  private func senderTime(of ticks: Int64) -> MediaTime { MediaTime(ticks: ticks, rate: rate) }
}
