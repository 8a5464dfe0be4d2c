/// Chooses pictures so that no more than so many a second are left, evenly. What is slower than that stays as it is.
struct FrameThinning {
  private let rate: Int64
  /// Where the next one is due: milliseconds times `rate`, which makes it whole.
  private var due: Int64?

  init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// Whether the picture of this time, in milliseconds, stays.
  mutating func keeps(_ time: Int64) -> Bool {
    let place = time * rate
    guard let due else {
      self.due = place + 1000
      return true
    }
    // Times are whole milliseconds and encoders' clocks are uneven: a quarter of a step early is in time.
    guard place >= due - 250 || place < due - 20_000 * rate else { return false }
    self.due = abs(place - due) < 1000 ? due + 1000 : place + 1000
    return true
  }
}
