/// Divides a path's bitrate among the videos that a subscriber wants.
///
/// Everybody's smallest step comes first, by priority; whoever does not fit is paused. Then tracks rise by one step at a time,
/// pinned ones before all others. A step up needs some room above its bitrate, so that small changes of the estimate change
/// nothing. Steps are frame rates of the smallest picture, and larger pictures.
enum Allocation {
  static let maximumLayers = 3
  /// A track of this priority rises as far as possible before others rise.
  static let pinned = 128
  /// The room that a step up needs, as a factor of the bitrate; less for a frame rate, whose change costs no key frame.
  private static let margin = 1.1
  private static let frameRateMargin = 1.05

  struct Demand {
    /// The bitrate of each possible step in bits per second, smallest first.
    var rates: [Int]
    /// The number of steps, from the first, that are frame rates of one picture.
    var frameRates = 1
    /// The step that is sent now; −1 if none.
    var current: Int
    var priority = 0
    /// Whether the track may get more than it has.
    var mayRise = true
  }

  /// Returns the step of each demand; −1 for those that are paused.
  /// - Parameters:
  ///   - bitrate: the bits per second for all of them.
  ///   - pauses: whether a track may be paused. If not, each gets at least its smallest step.
  static func choose(_ demands: [Demand], bitrate: Int, pauses: Bool) -> [Int] {
    let order = demands.indices.sorted { (-demands[$0].priority, $0) < (-demands[$1].priority, $1) }
    var choice = [Int](repeating: -1, count: demands.count)
    var left = bitrate
    for index in order where !demands[index].rates.isEmpty {
      guard !pauses || fits(demands[index], step: 0, extra: demands[index].rates[0], left) else { continue }
      choice[index] = 0
      left -= demands[index].rates[0]
    }
    for isPinned in [true, false] {
      var hasRisen = true
      while hasRisen {
        hasRisen = false
        for index in order where choice[index] >= 0 && (demands[index].priority >= pinned) == isPinned {
          let next = choice[index] + 1
          guard next < demands[index].rates.count else { continue }
          let extra = demands[index].rates[next] - demands[index].rates[choice[index]]
          guard fits(demands[index], step: next, extra: extra, left) else { continue }
          choice[index] = next
          left -= extra
          hasRisen = true
        }
      }
    }
    return choice
  }

  private static func fits(_ demand: Demand, step: Int, extra: Int, _ left: Int) -> Bool {
    guard step > demand.current else { return extra <= left }
    let margin = step > 0 && step < demand.frameRates ? frameRateMargin : margin
    return demand.mayRise && Double(extra) + Double(demand.rates[step]) * (margin - 1) <= Double(left)
  }

  /// Divides a bitrate evenly among streams whose publishers can lower theirs: a stream that needs less than its share leaves
  /// the rest to the others.
  /// - Returns: the bitrate for each stream, at most what it needs.
  static func shares(of bitrate: Int, needs: [Int]) -> [Int] {
    var shares = needs
    var left = max(0, bitrate)
    var count = needs.count
    for index in needs.indices.sorted(by: { needs[$0] < needs[$1] }) {
      shares[index] = min(needs[index], left / count)
      left -= shares[index]
      count -= 1
    }
    return shares
  }
}
