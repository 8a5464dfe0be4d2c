import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options and scenarios of loadtest network")
struct NetworkOptionsTests {
  private func parse(_ arguments: String...) throws -> Network {
    try #require(Loadtest.parseAsRoot(["network"] + arguments) as? Network)
  }

  @Test("scenarios and targets keep their order; without --target this server is measured once")
  func order() throws {
    let one = try parse("n1-thin", "n6-meeting-3")
    #expect(try one.scenarios().map(\.name) == ["n1-thin", "n6-meeting-3"])
    #expect(one.target == [.roomserver] && one.pairs == 1 && one.seconds == nil)
    let three = try parse("n1-thin", "--target", "janus-app", "--target", "janus", "--pairs", "5", "--seconds", "20")
    #expect(three.target == [.janusApp, .janus] && three.pairs == 5 && three.seconds == 20)
    #expect(try parse("all").scenarios().count == NetworkScenario.all.count)
  }

  @Test(
    "invalid options are rejected with a message that names what is wrong",
    arguments: [
      (["n1-thick"], "n1-thin"), ([], "--list"), (["n1-thin", "--seconds", "1"], "--seconds"),
      (["n1-thin", "--pairs", "0"], "--pairs"), (["n1-thin", "--target", "janus", "--target", "janus"], "--target"),
    ])
  func refused(arguments: [String], word: String) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["network"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(word))
  }

  @Test("each scenario has a name of its own and a limit, and the list shows them")
  func table() {
    let names = NetworkScenario.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(NetworkScenario.all.allSatisfy { !$0.limits.isEmpty })
    #expect(names.allSatisfy(Network.listing.contains))
  }

  @Test("a limit is broken by a value beyond it, and by a figure that was not measured")
  func limits() {
    #expect(NetworkLimit.most(.frozen, 2).fault([.frozen: 2]) == nil)
    #expect(NetworkLimit.most(.frozen, 2).fault([.frozen: 3]) == "frozen_percent <= 2: 3")
    #expect(NetworkLimit.least(.fpsP5, 10).fault([.fpsP5: 9]) == "fps_p5 >= 10: 9")
    #expect(NetworkLimit.least(.fpsP5, 10).fault([:]) == "fps_p5 >= 10: not measured")
  }
}
