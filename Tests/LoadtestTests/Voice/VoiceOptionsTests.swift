import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest voice")
struct VoiceOptionsTests {
  private func parse(_ arguments: String...) throws -> Voice {
    try #require(Loadtest.parseAsRoot(["voice"] + arguments) as? Voice)
  }

  @Test("without options, 8 speakers and 100 listeners of this server are measured for 20 s")
  func defaults() throws {
    let voice = try parse()
    #expect(voice.target == [.roomserver])
    #expect(voice.plan.speakers == 8 && voice.plan.listeners == 100 && voice.plan.seconds == 20)
    #expect(voice.plan.speakerNames.count == 8 && voice.plan.samplingRate == 48_000)
  }

  @Test("targets keep their order, and options are applied to the plan")
  func everything() throws {
    let voice = try parse(
      "--target", "janus", "--target", "roomserver", "--speakers", "3", "--listeners", "5", "--seconds", "2.5", "--kbps",
      "32", "--sampling-rate", "16000", "--profile", "cm", "--pairs", "2", "--joins-at-once", "4", "--server-pid", "11",
      "--server-pid", "12", "--json")
    #expect(voice.target == [.janus, .roomserver])
    #expect(voice.plan.speakers == 3 && voice.plan.listeners == 5 && voice.plan.seconds == 2.5 && voice.plan.kbps == 32)
    #expect(voice.plan.samplingRate == 16_000 && voice.plan.joinsAtOnce == 4 && voice.plan.profile == .cm)
    #expect(voice.pairs == 2 && voice.servers.serverPid == [11, 12] && voice.json)
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--speakers", "0"], ["--speakers", "25"], ["--listeners", "0"], ["--listeners", "901"], ["--seconds", "0"],
      ["--kbps", "10"], ["--sampling-rate", "44100"], ["--pairs", "0"], ["--joins-at-once", "0"], ["--target", "mumble"],
      ["--target", "janus", "--target", "janus"], ["--server-pid", "1", "--server-pid", "2"],
      ["--server-pid", "1", "--start"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["voice"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }
}
