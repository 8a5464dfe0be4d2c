/// When a media transport that does not work is to be replaced, through signalling. Pure: time is handed in.
///
/// A transport that fell silent first gets the chance to find another way by itself; one that never came up a little longer;
/// one that failed none. Replacing it is repeated ever more slowly.
struct MediaRepair: Sendable {
  typealias Time = ContinuousClock.Instant

  /// How long a new transport may take to come up.
  static let openingPatience: Duration = .seconds(10)
  /// How long a silent one may take to come back.
  static let silencePatience: Duration = .seconds(4)
  /// Waits between replacements; the last one repeats.
  static let pauses: [Duration] = [.seconds(2), .seconds(4), .seconds(8), .seconds(15)]

  private enum State { case idle, up, due(Time) }
  private var state = State.idle
  private var attempts = 0
  private var notBefore: Time?

  /// A transport is being set up.
  mutating func opened(now: Time) { state = .due(now + Self.openingPatience) }

  /// It works.
  mutating func connected() {
    state = .up
    attempts = 0
    notBefore = nil
  }

  /// It fell silent.
  mutating func disconnected(now: Time) { state = .due(now + Self.silencePatience) }

  /// It is over.
  mutating func failed(now: Time) { state = .due(now) }

  /// Nothing is to be repaired any more.
  mutating func closed() { self = MediaRepair() }

  /// Whether to replace it now; said once for each attempt.
  mutating func isDue(now: Time) -> Bool {
    guard case .due(let time) = state, now >= time, notBefore.map({ now >= $0 }) ?? true else { return false }
    notBefore = now + Self.pauses[min(attempts, Self.pauses.count - 1)]
    attempts += 1
    state = .due(now + Self.openingPatience)
    return true
  }
}
