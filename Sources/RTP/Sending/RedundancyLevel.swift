/// Decides how many copies of earlier packets a path's audio carries (RFC 2198), by the losses that its receiver reports.
///
/// The distance is 0 below 1 % of losses, 1 up to 5 %, 2 above. The distance falls only below half and three fifths of these
/// limits. The loss is smoothed: it rises within about two seconds, and falls within about eight.
public struct RedundancyLevel: Sendable {
  /// The number of earlier packets that each packet repeats: 0, 1 or 2.
  public private(set) var distance: UInt8 = 0
  /// The smoothed loss, 0…1.
  public private(set) var loss = 0.0

  /// The loss before the newest report.
  private var lossBefore = 0.0
  private var at: Instant?
  /// Seconds between the newest report and the one before.
  private var elapsed = 0.0
  /// The newest report: the sum and the number of its blocks.
  private var sum = 0.0
  private var count = 0.0

  /// Losses from which the distance is at least 1, and 2.
  static let rising = (0.01, 0.05)
  /// Losses below which the distance is at most 0, and 1.
  static let falling = (0.005, 0.03)
  /// Time constants of the smoothed loss, in seconds.
  static let riseTime = 2.0
  static let fallTime = 8.0
  /// Bounds of the time that one report covers, in seconds.
  static let reportTime = 0.2...10.0

  /// Creates the level of a path without losses.
  public init() {}

  /// Processes a report block about an audio stream. Blocks with the same time belong to one report, and their mean counts.
  /// - Parameters:
  ///   - fractionLost: the losses since the last report, in 1/256.
  ///   - isAffordable: whether the path has capacity for copies. Without it the distance is 0.
  public mutating func update(fractionLost: UInt8, now: Instant, isAffordable: Bool = true) {
    if at != now {
      let seconds = at.map { Double(now - $0) / 1_000_000 } ?? 1
      elapsed = min(max(seconds, Self.reportTime.lowerBound), Self.reportTime.upperBound)
      at = now
      lossBefore = loss
      sum = 0
      count = 0
    }
    sum += Double(fractionLost) / 256
    count += 1
    let reported = sum / count
    let time = reported > lossBefore ? Self.riseTime : Self.fallTime
    loss = lossBefore + (reported - lossBefore) * elapsed / (elapsed + time)
    decide(isAffordable)
  }

  /// Processes a loss of all packets of the path, 0…1, smoothed over about a second. The loss counts if it asks for two copies
  /// and is larger than what reports state: less may be a single packet.
  public mutating func raise(to observed: Double, isAffordable: Bool = true) {
    guard observed > loss, observed > Self.rising.1 else { return }
    loss = observed
    decide(isAffordable)
  }

  /// Applies a change of the path's capacity between two reports.
  public mutating func setAffordable(_ isAffordable: Bool) { decide(isAffordable) }

  private mutating func decide(_ isAffordable: Bool) {
    guard isAffordable else {
      distance = 0
      return
    }
    if loss > Self.rising.1 {
      distance = 2
    } else if loss < Self.falling.0 {
      distance = 0
    } else if loss > Self.rising.0, distance == 0 {
      distance = 1
    } else if loss < Self.falling.1, distance == 2 {
      distance = 1
    }
  }
}
