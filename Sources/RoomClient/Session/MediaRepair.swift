/// Decides when a media transport that does not work is replaced through signalling. Pure: the caller passes the time.
///
/// A transport that became silent first gets time to find another path by itself. A new transport gets longer, a failed one no
/// time. The waits between replacements grow.
struct MediaRepair: Sendable {
  typealias Time = ContinuousClock.Instant

  /// The time that a new transport has to connect.
  static let openingPatience: Duration = .seconds(10)
  /// The time that a silent transport has to recover.
  static let silencePatience: Duration = .seconds(4)
  /// The waits between replacements; the last one repeats.
  static let pauses: [Duration] = [.seconds(2), .seconds(4), .seconds(8), .seconds(15)]

  private enum State { case idle, up, due(Time) }
  private var state = State.idle
  private var attempts = 0
  private var notBefore: Time?

  /// Records that a transport is being set up.
  mutating func opened(now: Time) { state = .due(now + Self.openingPatience) }

  /// Records that the transport is connected.
  mutating func connected() {
    state = .up
    attempts = 0
    notBefore = nil
  }

  /// Records that the transport became silent.
  mutating func disconnected(now: Time) { state = .due(now + Self.silencePatience) }

  /// Records that the transport failed.
  mutating func failed(now: Time) { state = .due(now) }

  /// Records that no transport is needed any more.
  mutating func closed() { self = MediaRepair() }

  /// Returns whether to replace the transport now; true once for each attempt.
  mutating func isDue(now: Time) -> Bool {
    guard case .due(let time) = state, now >= time, notBefore.map({ now >= $0 }) ?? true else { return false }
    notBefore = now + Self.pauses[min(attempts, Self.pauses.count - 1)]
    attempts += 1
    state = .due(now + Self.openingPatience)
    return true
  }
}
