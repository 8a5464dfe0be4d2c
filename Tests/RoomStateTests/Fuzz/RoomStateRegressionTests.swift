import Foundation
import RoomFuzzSupport
import RoomProtocol
import Testing

@testable import RoomState

@Suite struct RoomStateRegressionTests {
  @Test("stored inputs of the fuzzer are read without a trap", arguments: roomStateFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(roomStateFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }

  @Test("a message of another server with a number that a room could not count on from is refused")
  func ranges() {
    func message(_ body: PKMessage.Body) -> PKMessage { PKMessage(pkId: "battle", from: "b", to: "a", body: body) }
    #expect(message(.begin(startedAt: 1_700_000_000_000, endsAt: nil)).isInRange)
    #expect(!message(.begin(startedAt: .max, endsAt: nil)).isInRange)
    #expect(!message(.invite(host: "b", user: "", mode: .bridge, by: "b", duration: .max)).isInRange)
    var charter = PKCharter(
      parties: [.init(id: "b", room: "b", host: "host-b", inviter: ""), .init(id: "a", room: "a", host: "host", inviter: "b")],
      startedAt: 1_700_000_000_000)
    func beat() -> PKMessage.Body {
      .meet(
        PKBeat(party: "b", number: 1, follows: "b", leads: true, ballot: .init(), charter: charter, wishes: []),
        PKReport(version: 1, score: 0, isAtHome: true, mutes: false))
    }
    #expect(message(beat()).isInRange)
    charter.version.ballot.number = .max
    #expect(!message(beat()).isInRange)
    charter.version.ballot.number = 1
    charter.parties += (0..<8).map { .init(id: "x\($0)", room: "x\($0)", host: "host", inviter: "b") }
    #expect(!message(beat()).isInRange)
  }
}
