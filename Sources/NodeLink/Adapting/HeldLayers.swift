import RoomRTP

/// The levels of the videos of a link over time: they rise at once when the link carries less, and fall with patience.
struct HeldLayers {
  /// Videos that resume layers at once: each needs a key frame.
  private static let liftedAtOnce = 4
  /// Microseconds between two resumptions, and from the last time that a layer was held back.
  private static let liftInterval: Int64 = 500_000
  private static let shortestPatience: Int64 = 1_500_000
  private static let longestPatience: Int64 = 24_000_000
  /// Microseconds for which what was resumed must stay, or else the next resumption takes twice as long.
  private static let proving: Int64 = 5_000_000
  /// Microseconds after a failure for which a wider link does not shorten the patience: bursts that it lets pass look like room.
  private static let doubt: Int64 = 10_000_000
  /// Percents of the bitrate that may be in use after a resumption: in the end, and while the smaller layer still crosses.
  private static let lasting = 85
  private static let crossing = 100

  private(set) var levels: [UInt32: Int] = [:]
  private var patience = HeldLayers.shortestPatience
  private var lowered: Instant?
  /// The bitrate of the link when a layer was held back last.
  private var loweredBudget = 0
  private var lifted: Instant?
  private var failed: Instant?

  /// Updates the levels.
  /// - Parameters:
  ///   - extra: the bitrate of smaller layers that cross until subscribers have left them.
  ///   - budget: the bits per second that audio leaves.
  mutating func update(_ videos: [LinkAllocation.Video], extra: Int, budget: Int, now: Instant) {
    let current = videos.map { min(levels[$0.track] ?? 0, $0.layers.count) }
    var next = LinkAllocation.levels(videos, from: current, budget: budget)
    if next != current {
      if let lifted, now - lifted < Self.proving {
        patience = min(patience * 2, Self.longestPatience)
        failed = now
      }
      (lowered, lifted) = (now, nil)
      loweredBudget = budget
    } else {
      next = lift(videos, current, extra: extra, budget: budget, now: now)
    }
    levels = [:]
    for (video, level) in zip(videos, next) where level > 0 { levels[video.track] = level }
  }

  /// Holds nothing back.
  mutating func clear() { self = Self() }

  private mutating func lift(
    _ videos: [LinkAllocation.Video], _ current: [Int], extra: Int, budget: Int, now: Instant
  ) -> [Int] {
    // It failed on a link that carried less.
    if budget / 3 * 2 > loweredBudget, failed.map({ now - $0 >= Self.doubt }) ?? true { patience = Self.shortestPatience }
    guard current.contains(where: { $0 > 0 }), lowered.map({ now - $0 >= patience }) ?? true,
      lifted.map({ now - $0 >= Self.liftInterval }) ?? true
    else { return current }
    let possible = LinkAllocation.levels(
      videos, from: [Int](repeating: 0, count: videos.count), budget: budget / 100 * Self.lasting)
    var next = current
    var total = videos.indices.reduce(extra) { $0 &+ videos[$1].rate(at: current[$1]) }
    // Those without a picture first.
    let order = videos.indices.filter { possible[$0] < current[$0] }.sorted { (current[$0], $1) > (current[$1], $0) }
    var count = 0
    for index in order where count < Self.liftedAtOnce {
      let (old, new) = (videos[index].sent(at: current[index]), videos[index].sent(at: possible[index]))
      let added = new.filter { !old.contains($0) }.reduce(0) { $0 &+ videos[index].layers[$1].cost }
      guard total &+ added <= budget / 100 * Self.crossing else { continue }
      total &+= added
      next[index] = possible[index]
      count += 1
    }
    guard count > 0 else { return current }
    if let lowered, now - lowered > 2 * Self.longestPatience { patience = Self.shortestPatience }
    lifted = now
    return next
  }
}
