/// How often, and after which waits, a lost connection is tried again (behaviour.md §2).
public struct ReconnectPolicy: Sendable, Hashable {
  /// Tries before the room is closed; nil is without limit, 0 never tries.
  public var tries: Int?
  /// Seconds from which the wait before each try is drawn; the last one serves all later tries.
  public var waits: [ClosedRange<Double>]

  public init(tries: Int? = 3, waits: [ClosedRange<Double>] = [0...2, 2...4, 4...6]) {
    self.tries = tries
    self.waits = waits
  }

  /// Three tries, after waits drawn from 0–2, 2–4 and 4–6 seconds.
  public static let `default` = ReconnectPolicy()
  public static let never = ReconnectPolicy(tries: 0)
  /// Tries for ever with the default's waits, the last one again and again.
  public static let unlimited = ReconnectPolicy(tries: nil)

  /// Seconds to wait before the try numbered `attempt` (from 1); nil when there is none.
  public func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Double? {
    guard attempt >= 1, tries.map({ attempt <= $0 }) ?? true else { return nil }
    guard let last = waits.last else { return 0 }
    return Double.random(in: attempt <= waits.count ? waits[attempt - 1] : last, using: &generator)
  }
}
