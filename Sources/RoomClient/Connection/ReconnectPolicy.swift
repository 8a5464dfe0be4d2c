/// The number of reconnection tries and the waits between them.
public struct ReconnectPolicy: Sendable, Hashable {
  /// The number of tries before the room is closed; nil for no limit, 0 for none.
  public var tries: Int?
  /// The ranges from which the wait before each try is drawn. The last one applies to all later tries; empty means
  /// no wait.
  public var waits: [ClosedRange<Duration>]

  /// Creates a policy.
  /// - Parameters:
  ///   - tries: the number of tries; nil for no limit, 0 for none.
  ///   - waits: the range of the wait before each try.
  public init(
    tries: Int? = 3,
    waits: [ClosedRange<Duration>] = [
      .zero ... .seconds(2), .seconds(2) ... .seconds(4), .seconds(4) ... .seconds(6),
    ]
  ) {
    self.tries = tries
    self.waits = waits
  }

  /// Three tries, after waits of 0–2, 2–4 and 4–6 seconds.
  public static let `default` = ReconnectPolicy()
  /// No tries: a lost connection closes the room.
  public static let never = ReconnectPolicy(tries: 0)
  /// Unlimited tries with the default's waits; the last wait repeats.
  public static let unlimited = ReconnectPolicy(tries: nil)

  /// Returns the wait before a try, or nil if the policy allows no further try.
  /// - Parameters:
  ///   - attempt: the number of the try, from 1.
  ///   - generator: the source of randomness for the draw.
  package func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
    guard attempt >= 1, tries.map({ attempt <= $0 }) ?? true else { return nil }
    guard let last = waits.last else { return .zero }
    let range = attempt <= waits.count ? waits[attempt - 1] : last
    return range.lowerBound + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &generator)
  }
}
