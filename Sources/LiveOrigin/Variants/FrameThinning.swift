import RoomRTP

/// Drops pictures evenly to limit the frame rate. A slower stream is unchanged.
struct FrameThinning {
  private let rate: Int64
  /// The due time of the next picture in µs times `rate`, which makes it a whole number.
  private var due: Int64?

  init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// Returns whether the picture of this time is kept.
  mutating func keeps(_ time: MediaTime) -> Bool {
    let place = time.microseconds * rate
    guard let due else {
      self.due = place + 1_000_000
      return true
    }
    // Times are whole milliseconds and encoder clocks are uneven, so up to a quarter of an interval early is accepted.
    guard place >= due - 250_000 || place < due - 20_000_000 * rate else { return false }
    self.due = abs(place - due) < 1_000_000 ? due + 1_000_000 : place + 1_000_000
    return true
  }
}
