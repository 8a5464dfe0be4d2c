import RoomLinkModel
import RoomProtocol
import RoomRTP
import Testing

@testable import RoomCluster

@Suite("The moves of a node that drains")
struct DeparturesTests {
  private static func member(_ node: NodeID, headroom: Double = 1) -> ClusterMember {
    ClusterMember(
      Incarnation(node: node, epoch: 1, process: 1), beat: 1, seen: 1, report: NodeReport(address: "", headroom: headroom))
  }

  private static func membership(_ members: ClusterMember...) -> Membership {
    Membership(epoch: 1, members: Dictionary(uniqueKeysWithValues: members.map { ($0.incarnation, $0) }))
  }

  private static func rooms(_ count: Int) -> [[RoomName]] { (0..<count).map { [RoomName("room\($0)")] } }

  private let own = Self.member("own", headroom: 0)
  private var generator = SeededGenerator(seed: 7)

  /// Moves rooms in virtual time, each for 100 ms. Returns the seconds until all have moved, the largest number at once, and the
  /// destinations.
  private mutating func drain(
    _ rooms: [[RoomName]], within seconds: Double, to others: Membership, refuses: NodeID? = nil
  ) -> (seconds: Double, most: Int, destinations: [NodeID: Int]) {
    var departures = Departures(until: .second(seconds), now: .second(0))
    var left = rooms
    var moving: [(end: Instant, move: Departures.Move)] = []
    var (most, destinations) = (0, [NodeID: Int]())
    for step in 0..<Int(seconds * 100) {
      let now = Instant.second(Double(step) / 100)
      for (end, move) in moving where end <= now {
        let hasMoved = move.destination.incarnation.node != refuses
        if hasMoved {
          left.removeAll { $0 == move.rooms }
          destinations[move.destination.incarnation.node, default: 0] += 1
        }
        departures.ended(move, hasMoved: hasMoved, now: now)
      }
      moving.removeAll { $0.end <= now }
      if left.isEmpty { return (Double(step) / 100, most, destinations) }
      let due = departures.takeMoves(of: left, among: others, except: own.incarnation, now: now, using: &generator)
      moving += due.map { (now.advanced(milliseconds: 100), $0) }
      most = max(most, moving.count)
    }
    return (.infinity, most, destinations)
  }

  @Test("a few rooms move at a time, to all others by headroom")
  mutating func pace() {
    let others = Self.membership(own, Self.member("big", headroom: 1), Self.member("small", headroom: 0.3))
    let (seconds, most, destinations) = drain(Self.rooms(100), within: 60, to: others)
    // 20 a second.
    #expect((4.5...6).contains(seconds) && most <= Departures.parallel)
    let (big, small) = (destinations["big", default: 0], destinations["small", default: 0])
    #expect(big + small == 100 && big > small && small > 0, "\(destinations)")
  }

  @Test("if the time is short, all start to move within half of it")
  mutating func short() {
    let result = drain(Self.rooms(40), within: 4, to: Self.membership(own, Self.member("other")))
    #expect(result.seconds <= 2.2)
  }

  @Test("two rooms in a PK move together")
  mutating func pair() {
    var departures = Departures(until: .second(10), now: .second(0))
    let others = Self.membership(own, Self.member("a"), Self.member("b"))
    let moves = departures.takeMoves(
      of: [["red", "blue"], ["voice"]], among: others, except: own.incarnation, now: .second(0), using: &generator)
    #expect(moves.first?.rooms == ["red", "blue"])
    let again = departures.takeMoves(
      of: [["blue", "red"]], among: others, except: own.incarnation, now: .second(1), using: &generator)
    #expect(again.isEmpty && departures.isMoving)
  }

  @Test("a member that takes no room is avoided; without one that has capacity, the rooms stay")
  mutating func refusals() {
    let two = Self.membership(own, Self.member("bad"), Self.member("good"))
    #expect(drain(Self.rooms(10), within: 20, to: two, refuses: "bad").destinations == ["good": 10])
    let full = Self.membership(own, Self.member("full", headroom: 0))
    #expect(drain(Self.rooms(2), within: 5, to: full).seconds == .infinity)
    #expect(!Departures.hasDestination(among: full, except: own.incarnation))
    #expect(drain(Self.rooms(2), within: 5, to: Self.membership(own)).seconds == .infinity)
    // Nearly full, which is not enough for new rooms.
    #expect(drain(Self.rooms(2), within: 5, to: Self.membership(own, Self.member("last", headroom: 0.05))).seconds < 1)
  }

  @Test("a drain waits for the clients that a failed move has disconnected")
  mutating func returning() throws {
    var departures = Departures(until: .second(60), now: .second(0))
    let others = Self.membership(own, Self.member("other"))
    let moves = departures.takeMoves(of: [["red"]], among: others, except: own.incarnation, now: .second(0), using: &generator)
    #expect(!departures.awaitsClients(at: .second(1)))
    departures.ended(try #require(moves.first), hasMoved: false, now: .second(1))
    #expect(departures.awaitsClients(at: .second(10)) && !departures.awaitsClients(at: .second(12)))
  }

  @Test("a member that drains takes no dead node's room, unless no other has capacity")
  func takeovers() {
    func claims(_ other: Double) -> Int {
      var lease = NodeLease(now: .second(0))
      lease.connected(to: "p", now: .second(0))
      let ghost = Incarnation(node: "ghost", epoch: 0, process: 1)
      let entry = NodeLease.Entry(
        incarnation: own.incarnation, membership: Self.membership(own, Self.member("other", headroom: other)),
        age: 86_400_000_000,
        isNewStore: false)
      lease.joined(entry, now: .second(0))
      lease.renewed(.all(entry.membership), now: .second(0))
      var takeovers = Takeovers(turn: 1_000_000)
      takeovers.note(["room": ghost], now: .second(0))
      return takeovers.takeClaims(lease, now: .second(2)).count
    }
    #expect(claims(0.5) == 0)
    #expect(claims(0) == 1)
  }
}
