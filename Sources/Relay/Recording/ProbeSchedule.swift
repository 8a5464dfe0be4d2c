/// Decides when the media of a growing file is read: with its first bytes, and then each time the file has doubled, until that
/// succeeds. A file of 8 GiB that is never readable is read 34 times at most.
struct ProbeSchedule {
  /// The size in bytes from which the next attempt is due; nil after a success.
  private var next: Int64? = 1

  /// Returns whether an attempt is due at this size in bytes, and counts it.
  mutating func isDue(at size: Int64) -> Bool {
    guard let next, size >= next else { return false }
    self.next = size > .max / 2 ? nil : size * 2
    return true
  }

  mutating func succeeded() { next = nil }
}
