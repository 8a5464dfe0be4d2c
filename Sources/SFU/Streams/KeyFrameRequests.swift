import RoomRTP

/// Merges the key frame requests for one published stream. However many subscribers ask, one request per interval goes to the
/// publisher, until a key frame arrives.
struct KeyFrameRequests: BitwiseCopyable {
  private(set) var isWanted = false
  private var lastSent = Int64.min
  private var attempts = 0

  /// Attempts at the full rate. Later ones are less frequent.
  static let eagerAttempts = 10
  static let patience: Int64 = 6

  mutating func request() { isWanted = true }

  mutating func keyFrameArrived() {
    isWanted = false
    attempts = 0
  }

  /// Returns whether to send a request now. The caller sends it.
  mutating func isDue(_ now: Instant, interval: Int64) -> Bool {
    guard isWanted else { return false }
    let wait = attempts < Self.eagerAttempts ? interval : interval &* Self.patience
    guard lastSent == .min || now.microseconds &- lastSent >= wait else { return false }
    lastSent = now.microseconds
    attempts += 1
    return true
  }
}
