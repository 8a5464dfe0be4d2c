import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomState

@Suite("Random walks of rooms in PKs")
struct PKWalkTests {
  private static let steps = 40_000

  @Test(
    "rooms agree on their PKs after late, duplicate and reordered messages",
    arguments: Array(1...UInt64(TestLength.pick(3, long: 8))))
  func disorder(seed: UInt64) throws {
    let walk = try run(seed, losses: 0)
    for what in [
      "invite", "accept", "reject", "cancel", "quit", "score", "extend", "mute", "resume", "guest", "guest acts", "close",
      "restart", "match", "cancel match",
    ] {
      #expect(walk.done[what] != nil, "\(what) never happened")
    }
    for code: ErrorCode in [
      .roomInPK, .roomNotInPK, .pkInviteFailed, .pkCancelFailed, .pkAnswerFailed, .pkBeginFailed, .noPermission,
      .connectMicFailed,
    ] {
      #expect(walk.refused[code.rawValue] != nil, "no call failed with \(code.name)")
    }
    let told = walk.counts
    for what in [
      "pk accepted", "pk rejected", "pk cancelled", "pk timedOut", "pk crossed", "pk failed", "pkEnded quit", "pkEnded time",
      "pkEnded lost", "match matched", "match cancelled", "match timedOut",
    ] {
      #expect(told[what] != nil, "\(what) never happened")
    }
  }

  @Test("rooms agree eventually despite lost messages and lost state", arguments: Array(UInt64(101)...102))
  func losses(seed: UInt64) throws { _ = try run(seed, losses: 10) }

  private func run(_ seed: UInt64, losses: Int) throws -> PKWalk {
    var walk = try PKWalk(seed: seed, losses: losses)
    for step in 0..<Self.steps {
      do {
        try walk.step(step)
        if step % 500 == 499 { try walk.settle() }
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        break
      }
    }
    return walk
  }
}
