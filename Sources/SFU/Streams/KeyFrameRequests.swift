import RTP

/// Key frame requests for one published stream, merged: however many ask, one request goes up per interval, again and again until
/// a key frame came.
struct KeyFrameRequests: BitwiseCopyable {
  private(set) var isWanted = false
  private var lastSent = Int64.min
  private var attempts = 0

  /// Tries at the full rate; after them the publisher is asked more rarely.
  static let eagerAttempts = 10
  static let patience: Int64 = 6

  mutating func want() { isWanted = true }

  mutating func keyFrameArrived() {
    isWanted = false
    attempts = 0
  }

  /// Whether a request is to be sent now; the caller sends it.
  mutating func isDue(_ now: Instant, interval: Int64) -> Bool {
    guard isWanted else { return false }
    let wait = attempts < Self.eagerAttempts ? interval : interval &* Self.patience
    guard lastSent == .min || now.microseconds &- lastSent >= wait else { return false }
    lastSent = now.microseconds
    attempts += 1
    return true
  }
}
