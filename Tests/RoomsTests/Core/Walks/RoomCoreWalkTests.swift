import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomEngine

@Suite("Random walks of rooms through all entry points")
struct RoomCoreWalkTests {
  /// Of each walk; together a million in a long run.
  private static let steps = TestLength.pick(40_000, long: 125_000)

  @Test("a hundred thousand inputs and more keep a room's invariants")
  func walks() async throws {
    let worlds = try await withThrowingTaskGroup(of: [String: Int].self) { group in
      for seed in 1...UInt64(TestLength.pick(4, long: 8)) { group.addTask { try Self.walk(seed) } }
      return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }
    for what in [
      "join", "resume", "lose", "leave", "encoder", "encoder track", "encoder lost", "encoder failed", "WHIP", "WHEP",
      "view ends",
      "speakers", "media", "permit", "seat", "seat by the API", "mute", "mute by the API", "select", "reception", "publish",
      "answer",
      "kick", "job",
      "job by the API", "PK", "PK by the API", "message", "restart", "close", "closed", "event pkBegan", "event pkEnded",
      "event subscribed", "event linked", "event jobChanged", "event program", "event muteChanged", "event layers",
    ] {
      #expect(worlds[what] != nil, "\(what) never happened")
    }
  }

  private static func walk(_ seed: UInt64) throws -> [String: Int] {
    var world = RoomWorld(seed: seed)
    var counts: [String: Int] = [:]
    for step in 0..<steps {
      do { try world.step(step) } catch { throw Violation("seed \(seed), step \(step): \(error)") }
      if step % 1000 == 0 {
        for party in world.parties { for (event, _) in party.model.counts { counts["event \(event)"] = 1 } }
      }
    }
    return counts.merging(world.done, uniquingKeysWith: +)
  }
}
