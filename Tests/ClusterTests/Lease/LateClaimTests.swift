import RoomCluster
import RoomProtocol
import RoomRTP
import Testing

@Suite("Answers to claims that arrive late")
struct LateClaimTests {
  private let own = Incarnation(node: "a", epoch: 1, process: 1)
  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  private func member() -> NodeLease {
    var lease = NodeLease(now: at(0))
    lease.connected(to: "p", now: at(0))
    let membership = Membership(
      epoch: 1, members: [own: ClusterMember(own, beat: 0, seen: 0, report: NodeReport(address: "http://a"))])
    lease.joined(
      NodeLease.Entry(incarnation: own, membership: membership, age: 86_400_000_000, isNewStore: false), now: at(0))
    lease.renewed(.all(membership), now: at(0))
    return lease
  }

  private func claim(_ lease: inout NodeLease, _ fence: Int64) -> Bool {
    lease.claimed(RoomLease(room: "r", fence: fence), by: own, now: at(1))
  }

  @Test("of two claims under way, the later one counts, in whichever order the answers are processed")
  func order() {
    var lease = member()
    let areOwned = [4, 3].map { claim(&lease, $0) }
    #expect(areOwned == [true, true])
    #expect(lease.fence(of: "r", now: at(1)) == 4)
  }

  @Test("a room that was given up does not return by the answer to an earlier claim, but by a later one")
  func givenUp() {
    var lease = member()
    var areOwned = [claim(&lease, 4)]
    lease.released("r")
    areOwned.append(claim(&lease, 3))
    #expect(lease.fence(of: "r", now: at(1)) == nil)
    areOwned.append(claim(&lease, 6))
    #expect(areOwned == [true, false, true])
    #expect(lease.fence(of: "r", now: at(1)) == 6)
  }
}
