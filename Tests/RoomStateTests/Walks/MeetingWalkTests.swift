import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomState

@Suite("Random walks of rooms in a PK of several")
struct MeetingWalkTests {
  private static let steps = TestLength.pick(2_500, long: 64_000)

  @Test(
    "no two leaders decide, no decision is lost, and the rooms agree at the end",
    arguments: Array(1...UInt64(TestLength.pick(4, long: 16))))
  func walk(seed: UInt64) throws {
    var walk = try MeetingWalk(seed: seed, rooms: 2 + Int(3 * seed % 8))
    for step in 0..<Self.steps {
      do {
        try walk.step()
        if step % 400 == 399 { try walk.settle() }
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
    for what in ["began", "decision", "cut", "restored", "refused"] {
      #expect(walk.counts[what] != nil, "\(what) never happened")
    }
  }

  @Test("in all orders of beats, silences and decisions of three rooms, no two decisions exclude each other")
  func allOrders() throws {
    var model = MeetingModel(beats: 2, silences: 1, decisions: 2)
    let limit = TestLength.pick(1_500, long: 1_000_000)
    try model.check(limit: limit)
    #expect(model.worlds >= min(limit, 250_000))
    #expect(model.committed > 0 && model.handovers > 0)
  }
}
