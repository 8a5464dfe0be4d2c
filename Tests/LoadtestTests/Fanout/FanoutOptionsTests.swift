import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest fanout")
struct FanoutOptionsTests {
  private func parse(_ arguments: String...) throws -> Fanout {
    try #require(Loadtest.parseAsRoot(["fanout"] + arguments) as? Fanout)
  }

  @Test("without options, 200 subscribers of one publisher of this server are measured for 20 s")
  func defaults() throws {
    let fanout = try parse()
    #expect(fanout.target == [.roomserver])
    #expect(fanout.plan.subscribers == 200 && fanout.plan.publishers == 1 && fanout.plan.seconds == 20)
    #expect(fanout.plan.kbps == 1000 && fanout.plan.profile == .gcm && fanout.plan.feedback == 0)
    #expect(fanout.pairs == 1 && !fanout.servers.own.start && !fanout.json)
  }

  @Test("targets keep their order, and options are applied to the plan")
  func everything() throws {
    let fanout = try parse(
      "--target", "janus", "--target", "roomserver", "--subscribers", "5", "--publishers", "2", "--seconds", "2.5", "--kbps",
      "300",
      "--profile", "cm", "--seed", "7", "--pairs", "3", "--joins-at-once", "4", "--threads", "2", "--feedback", "100",
      "--server-pid", "11", "--server-pid", "12", "--json")
    #expect(fanout.target == [.janus, .roomserver])
    #expect(fanout.plan.profile.profiles == [.aesCM128HMACSHA1_80])
    #expect(fanout.plan.subscribers == 5 && fanout.plan.publishers == 2 && fanout.plan.seconds == 2.5)
    #expect(fanout.plan.kbps == 300 && fanout.plan.seed == 7 && fanout.plan.joinsAtOnce == 4)
    #expect(fanout.plan.threads == 2 && fanout.plan.feedback == 100 && fanout.plan.streams == 20)
    #expect(fanout.pairs == 3 && fanout.servers.serverPid == [11, 12] && fanout.json)
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--subscribers", "0"], ["--subscribers", "4001"], ["--publishers", "17"], ["--seconds", "0"], ["--kbps", "10"],
      ["--pairs", "0"], ["--joins-at-once", "0"], ["--threads", "0"], ["--feedback", "5"], ["--target", "mediasoup"],
      ["--profile", "aes"], ["--target", "janus", "--target", "janus"],
      ["--server-pid", "1", "--server-pid", "2"], ["--server-pid", "1", "--start"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["fanout"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }
}
