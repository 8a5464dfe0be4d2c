import RoomRTP

/// The repetition of INIT, COOKIE-ECHO, SHUTDOWN and SHUTDOWN-ACK (T1 and T2 of RFC 9260).
struct HandshakeTimer {
  private(set) var deadline: Instant?
  /// The number of repetitions of the current chunk.
  private(set) var attempts = 0
  private var timeout: RetransmissionTimeout

  init(_ configuration: SCTPConfiguration) { timeout = RetransmissionTimeout(configuration) }

  /// Starts the wait for an answer.
  /// - Parameter measured: the timeout of the path in microseconds; nil before it is measured.
  mutating func start(now: Instant, _ measured: Int64? = nil) {
    deadline = now.advanced(microseconds: measured ?? timeout.value)
  }

  /// Counts repetitions of another chunk from now on.
  mutating func beginCount() { attempts = 0 }

  mutating func stop() { (deadline, attempts) = (nil, 0) }

  /// Returns whether the chunk is due again.
  mutating func expire(now: Instant) -> Bool {
    guard let due = deadline, due <= now else { return false }
    deadline = nil
    attempts += 1
    timeout.expired()
    return true
  }
}
