import RoomRTP

/// A choice among steps that need different bitrates, for a path whose bitrate varies. Down as soon as the step allows; up only
/// with room to spare.
struct Staircase: Sendable {
  /// A step up needs 13/10 of its bitrate for this long, in microseconds.
  private static let climbPatience: Int64 = 3_000_000
  private static func headroom(_ bitrate: Int) -> Int { bitrate / 10 * 13 }

  /// A step and the bitrate in bits per second that it needs.
  struct Step: Sendable {
    var floor: Int
    /// How long the path must carry less than the better step needs, in microseconds, before this one is taken.
    var patience: Int64 = 0
  }

  /// The best step first. The last one needs nothing.
  private let steps: [Step]
  /// The index of the current step.
  private(set) var current = 0
  /// Since when the path carries less than the current step needs.
  private var shortSince: Instant?
  /// The step that the path could carry since then.
  private var climb: (step: Int, since: Instant)?

  /// Creates a staircase that begins at the step for an available bitrate; at the best one if that is nil.
  /// - Parameters:
  ///   - steps: the best first.
  ///   - offPatience: the patience of the last step, which needs nothing: to be off.
  init(_ steps: [Step], offPatience: Int64, available: Int? = nil) {
    self.steps = steps + [Step(floor: .min, patience: offPatience)]
    if let available { current = fitting(available) }
  }

  /// Whether the current step is the one that needs nothing.
  var isOff: Bool { current == steps.count - 1 }

  /// Updates the step by the available bitrate in bits per second.
  mutating func update(available: Int, now: Instant) {
    let fitting = fitting(available)
    if fitting > current {
      climb = nil
      descend(to: fitting, now: now)
    } else {
      shortSince = nil
      ascend(available: available, now: now)
    }
  }

  private func fitting(_ available: Int) -> Int { steps.firstIndex { $0.floor <= available } ?? steps.count - 1 }

  private mutating func descend(to fitting: Int, now: Instant) {
    let since = shortSince ?? now
    shortSince = since
    while current < fitting, now - since >= steps[current + 1].patience { current += 1 }
    if current == fitting { shortSince = nil }
  }

  private mutating func ascend(available: Int, now: Instant) {
    guard let possible = steps.dropLast().firstIndex(where: { Self.headroom($0.floor) <= available }), possible < current else {
      climb = nil
      return
    }
    let open = climb.map { (step: max($0.step, possible), since: $0.since) } ?? (step: possible, since: now)
    climb = open
    guard now - open.since >= Self.climbPatience else { return }
    current = open.step
    climb = nil
  }
}
