import RoomRTP

// Audio on paths that do not carry all of it, even without video: some is paused, so that the rest has no gaps.

extension Forwarder {
  /// Time for which audio must not fit before some is paused, and after a pause before it resumes, in microseconds.
  private static let audioPatience: Int64 = 1_500_000
  /// The same if the capacity is known, because other paths share it.
  private static let sharedPatience: Int64 = 500_000
  private static let audioResumePatience: Int64 = 5_000_000

  /// The bitrates of a subscriber's audio in bits per second.
  struct AudioRates {
    /// What is sent, without copies.
    var sent = 0
    /// Everything that could be sent.
    var wanted = 0
  }

  /// Pauses audio that the path does not carry, and resumes what it does.
  func selectAudio(of index: Int, _ path: UnsafeMutablePointer<Path>, now: Instant) -> AudioRates {
    var rates = AudioRates()
    var streams: [(subscription: Int, demand: AudioChoice.Demand)] = []
    for subscription in wanted(of: index, isVideo: false) {
      let slot = subscriptions[subscription]
      let rate = tracks[slot.pointee.track].pointee.rate.wireRate
      rates.wanted += rate
      streams.append(
        (
          subscription,
          .init(rate: rate, isSpeaking: isSpeaking(slot.pointee.track), isSent: !slot.pointee.isStarved)
        ))
    }
    let target = path.pointee.divided * 19 / 20
    let choice =
      path.pointee.hasLimit && rates.wanted > target
      ? AudioChoice.choose(streams.map(\.demand), bitrate: target) : streams.map { _ in true }
    // The estimate of one path alone pauses no audio: it may be wrong.
    let isShared = path.pointee.share != nil
    let suffers = path.pointee.isCongested || isShared
    let patience = path.pointee.isOverflowing ? 0 : isShared ? Self.sharedPatience : Self.audioPatience
    for (stream, fits) in zip(streams, choice) {
      apply(fits || stream.demand.isSent && !suffers, to: stream.subscription, patience: patience, now: now)
      if !subscriptions[stream.subscription].pointee.isStarved { rates.sent += stream.demand.rate }
    }
    return rates
  }

  private func apply(_ isSent: Bool, to subscription: Int, patience: Int64, now: Instant) {
    let slot = subscriptions[subscription]
    guard isSent else {
      let missing = slot.pointee.missing(at: now)
      if !slot.pointee.isStarved, missing >= patience { starve(subscription, now: now) }
      return
    }
    slot.pointee.missingSince = nil
    if slot.pointee.isStarved, slot.pointee.loweredAt.map({ now - $0 >= Self.audioResumePatience }) ?? true {
      resume(subscription)
    }
  }
}
