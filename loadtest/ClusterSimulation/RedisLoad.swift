import RoomCluster

/// Counts the commands that the nodes send to Redis, and the bytes that they read.
struct RedisLoad {
  /// What a node does with Redis, and the commands that it takes.
  enum Work: String, CaseIterable {
    case renew = "a node renews its lease, and reads what has changed"
    case open = "a room opens"
    case end = "a room ends"
    case find = "a node finds the owner of a room"
    case join = "a participant joins or leaves"
    case claim = "a node claims a dead node's room"
    case move = "a room moves to another node"

    /// Commands each time.
    var commands: Int {
      switch self {
      case .renew, .find: 1
      // The claim of the owner with its fence, and the stored form.
      case .open, .end: 2
      // The stored member.
      case .join: 1
      // The claim, and the read of the stored form.
      case .claim: 2
      // The last stored form, the release, the claim, the read.
      case .move: 4
      }
    }
  }

  /// Bytes of a member in the list: its name, address, region, beat and load.
  static let memberBytes = 150

  private(set) var counts = [Work: Int]()
  /// Records of members that a renewal reads, its own among them; and the part of renewals that read all.
  private static let records = LeaseTiming().watched + 1
  private static let whole = Double(LeaseTiming().interval) / Double(LeaseTiming().listing)
  /// Bytes of records of members.
  private(set) var listBytes = 0.0

  mutating func count(_ work: Work, _ times: Int = 1) { counts[work, default: 0] += times }

  mutating func countRenewal(of nodes: Int) {
    count(.renew, nodes)
    listBytes += Double(nodes * Self.memberBytes) * (Double(min(Self.records, nodes)) + Double(nodes) * Self.whole)
  }

  var commands: Int { counts.reduce(0) { $0 + $1.key.commands * $1.value } }
}
