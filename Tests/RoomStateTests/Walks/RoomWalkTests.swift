import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomState

@Suite("Random walks of one room")
struct RoomWalkTests {
  /// Steps per seed; in a long run, all seeds and those of the pairs add up to 10^6.
  private static let steps = 60_000

  @Test("the room keeps its invariants whatever its users call", arguments: Array(1...UInt64(TestLength.pick(4, long: 10))))
  func walk(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var rules = RoomRules()
    rules.requests = 3
    rules.invitations = 3
    rules.journalEntries = 100
    rules.historyMessages = 20
    rules.messagesPerSecond = 2
    rules.messageBurst = 5
    var room = RoomState(name: "a", createdAt: 1_700_000_000_000, rules: rules)
    try RandomCalls.admitWatchers(to: &room)
    var observer = Observer(room, users: RandomCalls.watchers)
    var calls = RandomCalls()
    var done = 0
    var refused: [Int: Int] = [:]
    for step in 0..<Self.steps {
      do {
        room.advance(to: room.clock + Int64(random.chance(1, in: 500) ? 20_000 : random.below(400)))
        _ = try observer.look(at: &room)
        // Not at every step: a copy makes the next change copy its storage.
        let before = step % 8 == 0 ? room : nil
        do throws(RoomError) {
          if random.chance(1, in: 10) { try calls.move(&room, &random) } else { try calls.call(&room, &random) }
          done += 1
        } catch {
          refused[error.code.rawValue, default: 0] += 1
          guard !room.hasOutputs else { throw Violation("a failed call had outputs: \(error)") }
          guard before == nil || before == room else { throw Violation("a failed call changed the state: \(error)") }
        }
        _ = try observer.look(at: &room)
        try room.checkInvariants()
        if step % 64 == 0 {
          try observer.checkCounts(room)
          try observer.compare(room)
        }
        if random.chance(1, in: 150) { try observer.replay(room, next: random.pick(RandomCalls.watchers)) }
        if step % 5000 == 1 { try checkStoring(room) }
        if step % 1000 == 1 { try checkPatience(room) }
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
    // The walk covered every kind of call.
    #expect(done > Self.steps / 5, "\(done)")
    for code: ErrorCode in [
      .noPermission, .seatTaken, .notInRoom, .updateRoomFailed, .wrongMicState, .requestFailed, .requestsFull, .alreadySeated,
      .acceptFailed, .rejectFailed, .seatIndexInvalid, .seatsFull, .seatLocked, .sameLayout, .messageFailed,
    ] {
      #expect(refused[code.rawValue] != nil, "no call failed with \(code.name)")
    }
    let told = observer.counts
    for what in [
      "request accepted", "request rejected", "request cancelled", "request timedOut", "request left", "request seated",
      "invitation accepted", "invitation rejected", "invitation cancelled", "invitation timedOut", "invitation left",
      "invitation seated", "layoutChanged", "seat taken", "seat joined", "seat left", "seat kicked", "seat gone",
      "seat switched",
      "message", "attributesChanged", "replayed", "too old",
    ] {
      #expect(told[what] != nil, "\(what) never happened")
    }
  }

  /// Checks that a stored room decodes to an equal value.
  private func checkStoring(_ room: RoomState) throws {
    let back = try JSONDecoder().decode(RoomState.self, from: JSONEncoder().encode(room))
    guard back == room else { throw Violation("the decoded room differs") }
  }

  /// Checks that advancing the clock once or in small steps has the same result.
  private func checkPatience(_ room: RoomState) throws {
    var (once, often) = (room, room)
    once.advance(to: room.clock + 40_000)
    for _ in 0..<400 { often.advance(to: often.clock + 100) }
    guard once == often else { throw Violation("small steps have a different result") }
  }
}
