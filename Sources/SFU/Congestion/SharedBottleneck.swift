import RoomRTP

/// A bottleneck that the paths of several subscribers share, such as those of people behind one router: what it carries, and
/// what each path may use of it (coupled congestion control, RFC 8699).
///
/// Each path alone learns only what is left by the others, and all of them would grow and fall together. Their sum shows more:
/// while a queue stands, what arrives on all paths is the capacity. Audio comes first, a stream for each path in turn, and then
/// video in even shares. One video never grows while the audio of somebody else is paused.
struct SharedBottleneck {
  /// One of the paths at this moment. Bitrates are in bits per second.
  struct Member {
    /// How long packets wait, in microseconds.
    var queue: Int64
    var delivered: Int
    /// The target of its own estimate, which follows the last share and may have grown since; nil while its queue drains.
    var target: Int?
    /// What its last probe proved, if it was concluded since the last update.
    var probed: Double?
    /// The bitrates of all audio that could be sent.
    var audio: [Int]
    /// The bitrate of all video that could be sent.
    var video: Int
  }

  /// What arrives proves at most a capacity of this factor more.
  private static let provenFactor = 1.12
  /// The part of what a probe adds that counts: its packets are larger than those of audio, so their headers take less.
  private static let probeFactor = 0.8
  /// The part of the capacity to use, and the least of it while the queue drains, in about this time in microseconds.
  private static let use = 0.95
  private static let leastUse = 0.7
  private static let drainTime = 700_000.0
  /// A share exceeds the audio that it is for by this part of one more stream, so that a small change of bitrate pauses none.
  private static let slack = 0.2

  /// In bits per second; nil before a queue stood on most of the paths at once.
  private(set) var capacity: Double?
  private var shares: [Int] = []

  /// Updates the capacity, and returns the share of each member in bits per second; nil before the capacity is known.
  mutating func update(_ members: [Member]) -> [Int]? {
    let delivered = Double(members.reduce(0) { $0 + $1.delivered })
    let queues = members.map(\.queue).filter { $0 > PathEstimator.longQueue }
    let isQueueing = queues.count > 1 && queues.count * 2 > members.count
    if isQueueing {
      capacity = delivered
    } else if let known = capacity, shares.count == members.count {
      var grown = known
      for (member, share) in zip(members, shares) {
        if let target = member.target { grown += Double(max(0, target - share)) }
      }
      var proven = delivered * Self.provenFactor
      for member in members {
        guard let probed = member.probed else { continue }
        proven = max(proven, delivered + (probed - Double(member.delivered)) * Self.probeFactor)
      }
      capacity = max(known, min(grown, proven))
    }
    guard let capacity else { return nil }
    let longest = isQueueing ? Double(queues.max() ?? 0) : 0
    let part = max(Self.use - longest / Self.drainTime, Self.leastUse)
    shares = Self.divide(Int(capacity * part), among: members)
    return shares
  }

  /// Returns the share of each member.
  private static func divide(_ bitrate: Int, among members: [Member]) -> [Int] {
    var left = bitrate
    var shares = members.map { _ in 0 }
    var isWhole = true
    for turn in 0..<(members.map(\.audio.count).max() ?? 0) {
      for (index, member) in members.enumerated() where turn < member.audio.count {
        let rate = member.audio[turn]
        // The first stream of each member is sent in any case.
        guard turn == 0 || isWhole && rate <= left else {
          isWhole = false
          continue
        }
        shares[index] += rate
        left -= rate
      }
    }
    if isWhole {
      for (index, share) in Allocation.shares(of: left, needs: members.map(\.video)).enumerated() { shares[index] += share }
    }
    return zip(shares, members).map { Int(Double($0) / use + slack * Double($1.audio.max() ?? 0)) }
  }
}
