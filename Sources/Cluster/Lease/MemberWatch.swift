import RoomRTP

/// Notices members that do not renew their leases.
///
/// No clock of the store is involved: a lease has ended if its beat did not change for a life, as measured by the clock of the
/// node that watches.
struct MemberWatch: Sendable {
  private struct Sight: Sendable {
    var beat: Int64
    var seen: Int64
    /// When this beat was first seen.
    var since: Instant
  }

  private let timing: LeaseTiming
  private var sights: [Incarnation: Sight] = [:]

  init(_ timing: LeaseTiming) { self.timing = timing }

  /// Notes the members, when the list has arrived.
  mutating func note(_ membership: Membership, now: Instant) {
    sights = sights.filter { membership.members[$0.key] != nil }
    for member in membership.members.values {
      if let sight = sights[member.incarnation], sight.beat == member.beat, sight.seen == member.seen { continue }
      sights[member.incarnation] = Sight(beat: member.beat, seen: member.seen, since: now)
    }
  }

  /// Returns the time since a member's beat has changed; µs; 0 for an unknown one.
  func silence(of member: Incarnation, now: Instant) -> Int64 { sights[member].map { now - $0.since } ?? 0 }

  /// Returns whether a member's lease has ended.
  ///
  /// A member that knows this node asks it before it keeps its rooms without the store: its lease ends after a life. One that
  /// does not know this node may keep its rooms by promises of others.
  func hasExpired(_ member: ClusterMember, for own: Incarnation, now: Instant) -> Bool {
    guard let sight = sights[member.incarnation], sight.beat == member.beat else { return false }
    return now - sight.since >= (sight.seen >= own.epoch ? timing.life : timing.settled)
  }
}
