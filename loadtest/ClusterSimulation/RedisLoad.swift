/// Counts the commands that the nodes send to Redis.
struct RedisLoad {
  /// What a node does with Redis, and the commands that it takes.
  enum Work: String, CaseIterable {
    case report = "a node renews its lease and reports"
    case read = "a node reads the reports"
    case renew = "a room's lease is renewed"
    case open = "a room opens"
    case end = "a room ends"
    case edge = "a node serves viewers of another node's room"
    case join = "a participant joins or leaves"
    case claim = "a node claims a dead node's room"
    case move = "a room moves to another node"

    /// Commands each time.
    var commands: Int {
      switch self {
      case .report, .read, .renew, .claim: 1
      // The lease with its fencing number, the stored form, the index of the owner's rooms.
      case .open, .end: 3
      // Who owns the room; a subscription to changes of the owner.
      case .edge: 2
      case .join: 1
      // Release and claim with the next fencing number, the two indices, the announcement.
      case .move: 5
      }
    }
  }

  private(set) var counts = [Work: Int]()

  mutating func count(_ work: Work, _ times: Int = 1) { counts[work, default: 0] += times }

  var commands: Int { counts.reduce(0) { $0 + $1.key.commands * $1.value } }
}
