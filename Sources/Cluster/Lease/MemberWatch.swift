import RoomRTP

/// Notices members that do not renew their leases.
///
/// No clock of the store is involved: a lease has ended if its beat did not change for a life, as measured by the clock of the
/// node that watches.
///
/// A node watches those that follow it in a ring, so that what it reads does not grow with the cluster. If those that watch a
/// member end with it, the next ones watch it then, and know from the lists since when its beat is the same.
struct MemberWatch: Sendable {
  private struct Sight: Sendable {
    var beat: Int64
    var seen: Int64
    /// When this beat was first seen.
    var since: Instant
  }

  private let timing: LeaseTiming
  private var sights: [Incarnation: Sight] = [:]
  /// The members that this node watches.
  private(set) var watched: Set<Incarnation> = []
  /// The members whose records were read last.
  private var fresh: Set<Incarnation> = []

  init(_ timing: LeaseTiming) { self.timing = timing }

  /// Notes members, when their records have arrived.
  /// - Parameters:
  ///   - read: the records that were read now.
  ///   - own: this node's incarnation.
  mutating func note(_ membership: Membership, read: some Sequence<ClusterMember>, by own: Incarnation?, now: Instant) {
    watched = Self.followers(of: own, in: membership, timing.watched)
    sights = sights.filter { membership.members[$0.key] != nil }
    fresh = []
    for member in read {
      fresh.insert(member.incarnation)
      if let sight = sights[member.incarnation], sight.beat == member.beat, sight.seen == member.seen { continue }
      sights[member.incarnation] = Sight(beat: member.beat, seen: member.seen, since: now)
    }
  }

  /// The members that follow one in a ring: by the random numbers of their processes, so that neighbours have nothing in common.
  private static func followers(of own: Incarnation?, in membership: Membership, _ count: Int) -> Set<Incarnation> {
    guard let own else { return [] }
    let others = membership.members.keys.filter { $0 != own }
    guard others.count > count else { return Set(others) }
    let ring = others.map { (distance: $0.process &- own.process, member: $0) }
    return Set(ring.sorted { ($0.distance, $0.member.epoch) < ($1.distance, $1.member.epoch) }.prefix(count).map(\.member))
  }

  /// Returns the time since a member's beat has changed; µs; 0 for one whose record was not read last.
  func silence(of member: Incarnation, now: Instant) -> Int64 {
    fresh.contains(member) ? sights[member].map { now - $0.since } ?? 0 : 0
  }

  /// Returns whether a member's lease has ended.
  ///
  /// A member that knows this node asks it before it keeps its rooms without the store: its lease ends after a life. One that
  /// does not know this node may keep its rooms by promises of others.
  func hasExpired(_ member: ClusterMember, for own: Incarnation, now: Instant) -> Bool {
    guard watched.contains(member.incarnation), fresh.contains(member.incarnation),
      let sight = sights[member.incarnation], sight.beat == member.beat
    else { return false }
    return now - sight.since >= (sight.seen >= own.epoch ? timing.life : timing.settled)
  }
}
