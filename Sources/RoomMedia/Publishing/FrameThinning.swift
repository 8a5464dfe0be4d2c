import RoomRTP

/// Selects the pictures of a source to encode, so that a lower frame rate is even.
package struct FrameThinning: Sendable {
  /// Timestamps are rounded, so a picture may be early by this much, in microseconds.
  private static let tolerance: Int64 = 2000

  package init() {}

  private var due: Int64?
  private var last: Int64 = .min

  /// Returns whether to encode the picture at `time`. Call it for each picture, in order.
  /// - Parameter fps: the highest rate of the selected pictures, at least 1.
  package mutating func takes(_ time: MediaTime, fps: Int) -> Bool {
    let now = min(max(time.microseconds, -(1 << 52)), 1 << 52)
    defer { last = now }
    let interval = 1_000_000 / Int64(max(1, fps))
    // A clock that jumps back starts anew.
    guard let due, now >= last, due - now <= interval else {
      self.due = now + interval
      return true
    }
    guard now + Self.tolerance >= due else { return false }
    // On the same grid, unless the source has been slower than it.
    self.due = due + interval > now ? due + interval : now + interval
    return true
  }
}
