import RoomClient

/// Decides what follows the end of a live stream's connection.
struct StreamRetries: Sendable {
  enum Next: Sendable, Hashable {
    case wait(Duration, attempt: Int)
    case ended
    case failed(StreamFailure)
  }

  /// A connection that played for this long begins a new count of tries.
  private static let steady = Duration.seconds(10)

  let policy: ReconnectPolicy
  private var attempt = 0
  private var hasPlayed = false
  /// Whether the stream ended at its source, and has not returned since.
  private var hasEnded = false

  init(_ policy: ReconnectPolicy) { self.policy = policy }

  /// - Parameters:
  ///   - failure: nil if the stream ended at its source.
  ///   - played: how long the connection played; nil if it never did.
  mutating func lost(
    _ failure: StreamFailure?, played: Duration?, using generator: inout some RandomNumberGenerator
  ) -> Next {
    if let played {
      hasPlayed = true
      hasEnded = false
      if played >= Self.steady { attempt = 0 }
    }
    if failure == nil { hasEnded = true }
    // The first answer is final; a stream that played may return, such as after the server's restart.
    if let failure, failure.isFinal || (failure.isRefusal && !hasPlayed) { return .failed(failure) }
    attempt += 1
    if let wait = policy.wait(before: attempt, using: &generator) { return .wait(wait, attempt: attempt) }
    if hasEnded { return .ended }
    return failure.map { .failed($0) } ?? .ended
  }
}
