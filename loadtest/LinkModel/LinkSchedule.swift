/// The conditions of a link over time.
public struct LinkSchedule: Sendable, Hashable {
  /// Conditions that apply from a time on.
  public struct Step: Sendable, Hashable {
    /// Microseconds since the link's start.
    public var at: Int64
    /// Conditions of packets from the near side to the far side.
    public var down: LinkConditions
    /// Conditions of packets from the far side to the near side.
    public var up: LinkConditions

    public init(at: Int64, down: LinkConditions, up: LinkConditions) {
      self.at = at
      self.down = down
      self.up = up
    }
  }

  /// In the order of time; the first one applies from the start.
  public let steps: [Step]

  /// Conditions that never change.
  public init(down: LinkConditions, up: LinkConditions) { steps = [Step(at: 0, down: down, up: up)] }

  /// Returns nil without steps. The first one in time applies from the start.
  public init?(_ steps: [Step]) {
    guard !steps.isEmpty else { return nil }
    self.steps = steps.sorted { $0.at < $1.at }
  }

  /// Returns the index of the step that applies.
  /// - Parameter elapsed: microseconds since the link's start.
  public func index(at elapsed: Int64) -> Int { max(0, (steps.firstIndex { $0.at > elapsed } ?? steps.count) - 1) }

  /// Returns the conditions that apply.
  /// - Parameter elapsed: microseconds since the link's start.
  public func step(at elapsed: Int64) -> Step { steps[index(at: elapsed)] }
}

/// The capacities of RFC 8867's test cases: multiples of a reference rate, each from a second on.
public enum RFC8867: String, Sendable, CaseIterable {
  /// §5.1, one flow: 1 Mbit/s, 100 s.
  case variableCapacity = "rfc8867-5.1"
  /// §5.2, several flows: 2 Mbit/s, 125 s.
  case severalFlows = "rfc8867-5.2"

  /// The reference rate in bps.
  public var rate: Int64 {
    switch self {
    case .variableCapacity: 1_000_000
    case .severalFlows: 2_000_000
    }
  }

  /// The time in seconds from which a multiple of the reference rate applies.
  public var ratios: [(second: Int64, ratio: Double)] {
    switch self {
    case .variableCapacity: [(0, 1.0), (40, 2.5), (60, 0.6), (80, 1.0)]
    case .severalFlows: [(0, 2.0), (25, 1.0), (50, 1.75), (75, 0.5), (100, 1.0)]
    }
  }

  /// Returns the schedule. Only the rate and the queue of the packets to the far side change.
  /// - Parameters:
  ///   - scale: multiple of the reference rate.
  ///   - down: the other conditions of packets to the far side.
  ///   - queueing: milliseconds that the queue takes to drain.
  public func schedule(
    scale: Double = 1, down: LinkConditions, up: LinkConditions, queueing milliseconds: Int64 = 300
  ) -> LinkSchedule {
    let steps = ratios.map { second, ratio in
      var conditions = down
      conditions.limit(rate: Int64(Double(rate) * ratio * scale), queueing: milliseconds)
      return LinkSchedule.Step(at: second * 1_000_000, down: conditions, up: up)
    }
    return LinkSchedule(steps) ?? LinkSchedule(down: down, up: up)
  }
}
