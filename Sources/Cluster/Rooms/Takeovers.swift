import RoomProtocol
import RoomRTP

/// The rooms whose owners have ended, and which of them this node claims. Sans-I/O.
///
/// All nodes see the same orphans. Each room has one node that restores it first (``chosen(for:among:)``); the others follow
/// after a turn, should that node fail.
public struct Takeovers: Sendable {
  /// A claim: the owner changes only if it is still the expected one.
  public struct Claim: Sendable, Hashable {
    public var room: RoomName
    public var owner: Incarnation
  }

  /// Maximum number of claims under way.
  private static let parallel = 64

  private struct Orphan: Sendable {
    var owner: Incarnation
    var since: Instant
    var isClaimed = false
  }

  private let turn: Int64
  private var orphans: [RoomName: Orphan] = [:]
  private var claimed = 0

  public init(turn: Int64) { self.turn = turn }

  public var count: Int { orphans.count }

  /// Notes the rooms whose owners are no members. Rooms that are not among them have an owner again.
  public mutating func note(_ rooms: [RoomName: Incarnation], now: Instant) {
    orphans = orphans.filter { $0.value.isClaimed || rooms[$0.key] == $0.value.owner }
    for (room, owner) in rooms where orphans[room]?.owner != owner {
      if orphans[room]?.isClaimed ?? false { continue }
      orphans[room] = Orphan(owner: owner, since: now)
    }
  }

  /// Takes the claims that are due.
  public mutating func takeClaims(_ lease: NodeLease, now: Instant) -> [Claim] {
    guard let own = lease.incarnation, !orphans.isEmpty, !Self.isSpared(own, lease.membership) else { return [] }
    var claims: [Claim] = []
    for (room, orphan) in orphans where !orphan.isClaimed {
      guard claimed < Self.parallel else { break }
      guard lease.mayClaim(from: orphan.owner, now: now) else { continue }
      let isLate = now - orphan.since >= turn
      guard isLate || Self.chosen(for: room, among: lease.membership.members.values) == own else { continue }
      orphans[room]?.isClaimed = true
      claimed += 1
      claims.append(Claim(room: room, owner: orphan.owner))
    }
    return claims
  }

  /// A claim was answered: the room has an owner. Without an answer it is claimed again.
  public mutating func answered(_ claim: Claim, isDecided: Bool, now: Instant) {
    guard orphans[claim.room]?.isClaimed ?? false else { return }
    claimed -= 1
    if isDecided {
      orphans[claim.room] = nil
    } else {
      orphans[claim.room] = Orphan(owner: claim.owner, since: now)
    }
  }

  /// Whether a member leaves all rooms to others: it drains or is full, and others have capacity.
  private static func isSpared(_ own: Incarnation, _ membership: Membership) -> Bool {
    guard let report = membership.members[own]?.report, report.headroom <= 0 else { return false }
    return membership.members.values.contains { $0.report.headroom > 0 }
  }

  /// The member that restores a room: by rendezvous hashing over the members with headroom, so that all nodes agree and the
  /// rooms of a dead node spread.
  static func chosen(for room: RoomName, among members: some Collection<ClusterMember>) -> Incarnation? {
    let able = members.contains { $0.report.headroom > 0 } ? members.filter { $0.report.headroom > 0 } : Array(members)
    return able.max { left, right in
      let (a, b) = (hash(room, left.incarnation), hash(room, right.incarnation))
      return a == b ? left.incarnation.description < right.incarnation.description : a < b
    }?.incarnation
  }

  private static func hash(_ room: RoomName, _ member: Incarnation) -> UInt64 { Rendezvous.hash("\(room.rawValue)/\(member)") }
}
