import RTP

/// Chooses pictures so that no more than so many a second are left, evenly. What is slower than that stays as it is.
struct FrameThinning {
  private let rate: Int64
  /// The time of the next one: microseconds times `rate`, which makes it a whole number.
  private var due: Int64?

  init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// Whether the picture of this time stays.
  mutating func keeps(_ time: MediaTime) -> Bool {
    let place = time.microseconds * rate
    guard let due else {
      self.due = place + 1_000_000
      return true
    }
    // Times are whole milliseconds and encoders' clocks are uneven: a quarter of a step early is in time.
    guard place >= due - 250_000 || place < due - 20_000_000 * rate else { return false }
    self.due = abs(place - due) < 1_000_000 ? due + 1_000_000 : place + 1_000_000
    return true
  }
}
